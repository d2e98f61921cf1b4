//! Whom the parts of a document are about, as the keys of its schema tell: no section is known by its name.

use crate::{Normaliser, Schema, SchemaKey};

/// The sections that some rules are for. A schema that has none of a kind has no use for those rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SectionRoles<'s> {
    /// Of what the document is about, such as a patient.
    pub subject: Option<&'s str>,
    /// Of the person whom the subject belongs to.
    pub person: Option<&'s str>,
    /// Of the place where people work.
    pub institution: Option<&'s str>,
    /// Of what happened when.
    pub visits: Option<&'s str>,
}

impl<'s> SectionRoles<'s> {
    pub fn of(schema: &'s Schema) -> Self {
        let first = |is_it: &dyn Fn(&SchemaKey) -> bool| {
            schema.keys.iter().filter(|key| is_it(key)).find_map(|key| key.section.as_deref())
        };
        let subject = first(&|key| key.normaliser.describes_subject());
        let institution = first(&|key| key.normaliser == Normaliser::Institution);
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
    fn the_parts_of_a_document_follow_from_the_keys_of_its_schema() {
        let [veterinary, invoice] = SchemaFile::built_in();
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
