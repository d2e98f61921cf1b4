//! Facets: how the found documents are spread over schemas, languages, statuses, reviews and values.

use std::collections::BTreeMap;

use quire_domain::ReviewStatus;
use quire_ports::{FoundDocument, PortResult, SearchIndex};

/// Values of a facet at most.
const MAX_VALUES: u32 = 8;
/// Keys of fields that are shown as facets at most.
const MAX_KEYS: usize = 8;

/// A way to divide the found documents. Its name and a value, with a colon between them, are a filter of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The name: a property, such as `status`, or the key of a field.
    pub name: String,
    /// The values, the most frequent first.
    pub values: Vec<FacetValue>,
}

/// A value of a facet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetValue {
    /// The value, as a query names it.
    pub value: String,
    /// The number of documents that have it.
    pub count: u32,
}

/// The facets of documents.
pub(super) async fn facets(index: &dyn SearchIndex, found: &[FoundDocument]) -> PortResult<Vec<Facet>> {
    let reviewed = |document: &FoundDocument| match document.review {
        ReviewStatus::Reviewed => "yes",
        ReviewStatus::InReview => "no",
    };
    let mut facets = vec![
        counted("schema", found.iter().map(|document| document.schema.clone())),
        counted("status", found.iter().map(|document| document.status.as_str().to_ascii_lowercase())),
        counted("reviewed", found.iter().map(|document| reviewed(document).to_owned())),
        counted("language", found.iter().filter_map(|document| document.language.clone())),
    ];
    let ids: Vec<_> = found.iter().map(|document| document.id).collect();
    let mut fields: Vec<Facet> = Vec::new();
    for facet in index.field_facets(&ids, MAX_VALUES).await? {
        let value = FacetValue { value: facet.value, count: facet.count };
        match fields.last_mut() {
            Some(last) if last.name == facet.key => last.values.push(value),
            _ => fields.push(Facet { name: facet.key, values: vec![value] }),
        }
    }
    // A key whose values hardly repeat divides nothing.
    fields.retain(|facet| facet.values.first().is_some_and(|first| first.count > 1));
    fields.sort_by_key(|facet| std::cmp::Reverse(facet.values.iter().map(|value| value.count).sum::<u32>()));
    fields.truncate(MAX_KEYS);
    facets.extend(fields);
    facets.retain(|facet| !facet.values.is_empty());
    Ok(facets)
}

fn counted(name: &str, values: impl Iterator<Item = String>) -> Facet {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut values: Vec<FacetValue> =
        counts.into_iter().map(|(value, count)| FacetValue { value, count }).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.count));
    values.truncate(MAX_VALUES as usize);
    Facet { name: name.to_owned(), values }
}
