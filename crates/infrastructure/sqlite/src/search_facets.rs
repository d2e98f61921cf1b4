//! How often the values of fields occur among documents.
//!
//! The values are counted while they are read. The database would sort all of them by key and text to group them, and count the documents
//! of each group in a table of its own.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use quire_ports::{FieldFacet, PortResult};
use quire_sql::corrupt;
use rusqlite::Connection;

use crate::error::translate;
use crate::sql;

/// A value, by its folded text.
struct Counted {
    /// The first way, by its bytes, in which it is written.
    value: String,
    /// The number of documents that have it.
    count: u32,
    /// The document that was counted last: the values of a document follow each other.
    last: [u8; 16],
}

/// The values that these documents have most often, of each key at most `most`. The documents are a JSON list of ids in hexadecimal, each
/// once.
pub(crate) fn of_documents(
    connection: &Connection,
    documents: String,
    most: usize,
) -> PortResult<Vec<FieldFacet>> {
    let mut keys: HashMap<String, HashMap<String, Counted>> = HashMap::new();
    let mut statement = connection.prepare_cached(sql!("search/field_facets")).map_err(translate)?;
    let mut rows = statement.query([documents]).map_err(translate)?;
    while let Some(row) = rows.next().map_err(translate)? {
        let text = |column: usize| row.get_ref(column).map_err(translate)?.as_str_or_null().map_err(corrupt);
        let document: [u8; 16] = row.get(0).map_err(translate)?;
        let (key, value, folded) =
            (text(1)?.unwrap_or_default(), text(2)?.unwrap_or_default(), text(3)?.unwrap_or_default());
        // Nearly every key and value is known already and needs no copy.
        if !keys.contains_key(key) {
            keys.insert(key.to_owned(), HashMap::new());
        }
        let Some(values) = keys.get_mut(key) else { continue };
        let Some(known) = values.get_mut(folded) else {
            values.insert(folded.to_owned(), Counted { value: value.to_owned(), count: 1, last: document });
            continue;
        };
        if known.last != document {
            (known.count, known.last) = (known.count + 1, document);
        }
        if value < known.value.as_str() {
            value.clone_into(&mut known.value);
        }
    }
    let in_order: BTreeMap<String, HashMap<String, Counted>> = keys.into_iter().collect();
    Ok(in_order.into_iter().flat_map(|(key, values)| most_frequent(&key, values, most)).collect())
}

/// The values that most documents have; of equally frequent ones the first by their folded texts.
fn most_frequent(key: &str, values: HashMap<String, Counted>, most: usize) -> Vec<FieldFacet> {
    let mut values: Vec<(String, Counted)> = values.into_iter().collect();
    let order = |(folded, value): &(String, Counted)| (Reverse(value.count), folded.clone());
    values.sort_by_cached_key(order);
    values.truncate(most);
    let facet = |(_, Counted { value, count, .. })| FieldFacet { key: key.to_owned(), value, count };
    values.into_iter().map(facet).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_counts_once_for_a_document_and_the_most_frequent_values_come_first() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE document_fields (document_id BLOB, position INTEGER, key TEXT, value TEXT, folded_value TEXT, value_type TEXT,
                     PRIMARY KEY (document_id, position)) WITHOUT ROWID;
                 INSERT INTO document_fields VALUES
                     (unhex('00000000000000000000000000000001'), 0, 'species', 'Gato', 'gato', 'string'),
                     (unhex('00000000000000000000000000000001'), 1, 'clinic', 'Sur', 'sur', 'string'),
                     (unhex('00000000000000000000000000000001'), 2, 'species', 'Gato', 'gato', 'string'),
                     (unhex('00000000000000000000000000000002'), 0, 'species', 'GATO', 'gato', 'string'),
                     (unhex('00000000000000000000000000000002'), 1, 'species', 'ave', 'ave', 'string'),
                     (unhex('00000000000000000000000000000002'), 2, 'species', 'zorro', 'zorro', 'string'),
                     (unhex('00000000000000000000000000000002'), 3, 'total', '12', '12', 'number'),
                     (unhex('00000000000000000000000000000003'), 0, 'species', 'ave', 'ave', 'string');",
            )
            .unwrap();
        let ids = ["00000000000000000000000000000001", "00000000000000000000000000000002"];
        let documents = serde_json::to_string(&ids).unwrap();
        let found = of_documents(&connection, documents, 2).unwrap();
        let found: Vec<_> =
            found.iter().map(|facet| (facet.key.as_str(), facet.value.as_str(), facet.count)).collect();
        assert_eq!(found, [("clinic", "Sur", 1), ("species", "GATO", 2), ("species", "ave", 1)]);
    }
}
