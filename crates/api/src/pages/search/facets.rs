//! Facets as links that add a filter to the query, or remove it.

use std::collections::HashMap;

use quire_application::search::Facet;
use quire_application::{App, governance};

use crate::pages::address::address;
use crate::pages::words::{Language, Words};

/// The titles of keys of fields.
pub(super) type FacetTitles = HashMap<String, String>;

/// Names of properties, and of their values, in words. The values of fields stand as they are.
const FACET: &str = "search.facet_";
const VALUE: &str = "search.value_";

/// A way to divide the found documents.
pub(super) struct FacetView {
    pub(super) name: String,
    pub(super) values: Vec<FacetLink>,
}

/// A value of a facet.
pub(super) struct FacetLink {
    pub(super) text: String,
    pub(super) count: u32,
    /// The search with this filter or, if it has it, without.
    pub(super) href: String,
    pub(super) is_set: bool,
}

/// The titles of the keys of facets, from the first schema of the found documents that has the key.
pub(super) async fn titles(app: &App, facets: &[Facet], language: Language) -> FacetTitles {
    let mut titles = FacetTitles::new();
    let schemas = facets.iter().filter(|facet| facet.name == "schema").flat_map(|facet| &facet.values);
    let is_field = |facet: &&Facet| language.words().find(&format!("{FACET}{}", facet.name)).is_none();
    let keys: Vec<&str> = facets.iter().filter(is_field).map(|facet| facet.name.as_str()).collect();
    for schema in schemas {
        if titles.len() == keys.len() {
            break;
        }
        // The results are shown whether or not a schema has titles.
        let Ok(version) = governance::schema_version(app, Some(&schema.value), None).await else { continue };
        for key in keys.iter().filter_map(|key| version.schema.key(key)) {
            titles.entry(key.key.clone()).or_insert_with(|| key.title(language.as_str()).to_owned());
        }
    }
    titles
}

impl FacetView {
    pub(super) fn of(facet: &Facet, query: &str, words: &Words, titles: &FacetTitles) -> Self {
        let link = |value: &str, count: u32| {
            let filter = filter(&facet.name, value);
            let without = without(query, &filter);
            let is_set = without.is_some();
            let query = without.unwrap_or_else(|| format!("{} {filter}", query.trim()));
            let text = words.find(&format!("{VALUE}{}_{value}", facet.name)).unwrap_or(value).to_owned();
            FacetLink { text, count, href: address("/app/search", &[("q", &query)]), is_set }
        };
        let property = words.find(&format!("{FACET}{}", facet.name));
        let title = property.or(titles.get(&facet.name).map(String::as_str));
        let name = title.unwrap_or(&facet.name).to_owned();
        let values = facet.values.iter().map(|value| link(&value.value, value.count)).collect();
        Self { name, values }
    }
}

/// A filter of a query. A value of several words is quoted.
fn filter(name: &str, value: &str) -> String {
    let is_word = value.chars().all(|sign| sign.is_alphanumeric() || sign == '_');
    if is_word { format!("{name}:{value}") } else { format!("{name}:\"{}\"", value.replace('"', " ")) }
}

/// The query without a filter that it has.
fn without(query: &str, filter: &str) -> Option<String> {
    let begin = query.find(filter)?;
    let (before, after) = (&query[..begin], &query[begin + filter.len()..]);
    let is_alone =
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '));
    is_alone.then(|| format!("{}{after}", before.trim_end()).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use quire_application::search::FacetValue;

    use super::*;

    #[test]
    fn a_value_adds_its_filter_and_a_second_time_removes_it() {
        let view = |query: &str| {
            let value = |value: &str| FacetValue { value: value.to_owned(), count: 2 };
            let facet =
                Facet { name: "clinic".to_owned(), values: vec![value("Centro \"Sur\""), value("norte")] };
            let titles = FacetTitles::from([("clinic".to_owned(), "Veterinary clinic".to_owned())]);
            FacetView::of(&facet, query, Language::English.words(), &titles)
        };
        let added = view("otitis");
        assert_eq!(added.name, "Veterinary clinic");
        assert_eq!(added.values[0].href, "/app/search?q=otitis+clinic%3A%22Centro++Sur+%22");
        assert_eq!(added.values[1].href, "/app/search?q=otitis+clinic%3Anorte");
        assert!(!added.values[1].is_set);
        let removed = view("otitis clinic:norte luna");
        assert!(removed.values[1].is_set);
        assert_eq!(removed.values[1].href, "/app/search?q=otitis+luna");
        assert!(!view("clinic:norteste").values[1].is_set, "another value that begins alike");
    }

    #[test]
    fn every_property_has_a_name() {
        for language in Language::ALL {
            for name in ["schema", "status", "reviewed", "language"] {
                assert!(language.words().find(&format!("{FACET}{name}")).is_some(), "{name}");
            }
        }
    }
}
