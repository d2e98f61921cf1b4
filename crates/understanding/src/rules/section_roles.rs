//! Which sections of a schema are about the subject, the person, the institution and the visits. The normalisers of
//! the keys tell; no section is known by its name.

use crate::{Normaliser, Schema, SchemaKey};

/// The sections that certain rules apply to. A schema without such a section does not use those rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SectionRoles<'s> {
    /// The section about the subject of the document, such as a patient.
    pub subject: Option<&'s str>,
    /// The section about the person whom the subject belongs to.
    pub person: Option<&'s str>,
    /// The section about the institution that wrote the document.
    pub institution: Option<&'s str>,
    /// The section about visits.
    pub visits: Option<&'s str>,
}

impl<'s> SectionRoles<'s> {
    pub fn of(schema: &'s Schema) -> Self {
        let first = |is_it: &dyn Fn(&SchemaKey) -> bool| {
            schema.keys.iter().filter(|key| is_it(key)).find_map(|key| key.section.as_deref())
        };
        let subject = first(&|key| key.normaliser.describes_subject());
        let institution =
            first(&|key| matches!(key.normaliser, Normaliser::Institution | Normaliser::Company));
        let is_elsewhere = |key: &SchemaKey| {
            key.section.as_deref() != institution && key.section.as_deref() != subject && subject.is_some()
        };
        Self {
            subject,
            person: first(&|key| key.normaliser == Normaliser::Person && is_elsewhere(key)),
            institution,
            visits: schema.visit_date().and_then(|date| schema.keys[date].section.as_deref()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SchemaFile;

    #[test]
    fn section_roles_follow_from_the_normalisers_of_the_keys() {
        let [veterinary, invoice, ..] = SchemaFile::built_in();
        let expected = SectionRoles {
            subject: Some("patient"),
            person: Some("owner"),
            institution: Some("clinic"),
            visits: Some("visits"),
        };
        assert_eq!(SectionRoles::of(&veterinary.schema), expected);
        assert_eq!(
            SectionRoles::of(&invoice.schema),
            SectionRoles { institution: Some("supplier"), ..SectionRoles::default() },
            "no subject and no visits"
        );
    }
}
