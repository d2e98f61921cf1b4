//! Numbers are found by ranges, vectors among given documents, and hostile queries get an answer.

use quire_domain::DocumentId;
use quire_ports::{DocumentCondition, DocumentProperty, FindQuery, FoundOrder, NearestQuery, TextQuery};
use quire_understanding::edit::EditOperation;
use quire_understanding::search::{Query, hashed_vector, parse_query};
use quire_understanding::{Value, ValueType};

use super::search::{MODEL, add_text, find, query};
use crate::fixture::{StoreFixture, at};

/// A field that is a number is found by ranges.
pub async fn numbers_are_found_by_ranges(fixture: &StoreFixture) {
    let mut ids = Vec::new();
    for amount in [99.5, 100.0, 1_250.75] {
        let (id, run) = add_text(fixture, "es", &["factura"]).await;
        let (key, value) = ("total_amount".to_owned(), Value::Number(amount));
        let add = EditOperation::Add { key, value, value_type: Some(ValueType::Number), visit_id: None };
        fixture.edit_active_version(run, &[add], at(9)).await;
        ids.push(id);
    }
    for (text, expected) in [
        ("total_amount:>100", &ids[2..]),
        ("total_amount:>=100", &ids[1..]),
        ("total_amount:<100", &ids[..1]),
        ("total_amount:100", &ids[1..2]),
        ("total_amount:99..101", &ids[..2]),
        ("-total_amount:>100", &ids[..2]),
        ("total_amount:>2000", &[]),
        ("factura total_amount:>100", &ids[2..]),
    ] {
        let parsed = parse_query(text, |key| key == "total_amount").unwrap();
        let conditions = parsed.filters.into_iter().map(|filter| DocumentCondition {
            property: DocumentProperty::Field { key: filter.key, condition: filter.condition },
            is_negated: filter.is_negated,
        });
        let words = if parsed.terms.is_empty() { "" } else { "factura" };
        let wanted = FindQuery { conditions: conditions.collect(), ..query(words) };
        let mut found: Vec<DocumentId> = find(fixture, &wanted).await.iter().map(|found| found.id).collect();
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(found, expected, "{text}");
    }
}

/// However many other vectors are nearer, those of the given documents are found.
pub async fn vectors_are_found_among_given_documents(fixture: &StoreFixture) {
    assert!(fixture.store.search.prepare_vectors(256).await.unwrap());
    for _ in 0..5 {
        add_text(fixture, "es", &["el gato maúlla"]).await;
    }
    let (dog, _) = add_text(fixture, "es", &["el perro ladra", "gato"]).await;
    let near = async |among: Option<Vec<DocumentId>>, limit: u32| {
        let vector = hashed_vector("el gato maúlla");
        let query = NearestQuery { model: MODEL.to_owned(), vector, among, limit };
        let near = fixture.store.search.nearest(&query).await.unwrap().unwrap();
        near.iter().map(|near| near.document).collect::<Vec<_>>()
    };
    assert!(!near(None, 3).await.contains(&dog));
    assert_eq!(near(Some(vec![dog, DocumentId::new()]), 3).await, [dog, dog]);
    assert_eq!(near(Some(vec![dog]), 1).await, [dog]);
    assert!(near(Some(Vec::new()), 3).await.is_empty());
}

/// A document that is given twice is found once, the newest comes first, and those that do not exist are left out. What is returned is
/// counted, whether or not there is room for more.
pub async fn documents_are_found_once_among_given_ones(fixture: &StoreFixture) {
    let mut ids = Vec::new();
    for page in ["el gato maúlla", "el perro ladra", "la gata duerme"] {
        ids.push(add_text(fixture, "es", &[page]).await.0);
    }
    let among = vec![ids[1], ids[0], ids[1], DocumentId::new()];
    let find = async |limit: u32, count_limit: u32, text: &str| {
        let order = FoundOrder::Newest(None);
        let query = FindQuery { among: Some(among.clone()), limit, count_limit, order, ..query(text) };
        let found = fixture.store.search.find(&query).await.unwrap();
        let of_documents: Vec<_> = found.documents.iter().map(|document| document.id).collect();
        (of_documents, found.total, found.is_lower_bound)
    };
    let both = [ids[1], ids[0]];
    assert_eq!(find(5, 5, "").await, (both.to_vec(), 2, false));
    assert_eq!(find(2, 2, "").await, (both.to_vec(), 2, true));
    assert_eq!(find(1, 5, "").await, (vec![ids[1]], 2, false));
    assert_eq!(find(1, 1, "").await, (vec![ids[1]], 1, true));
    assert_eq!(find(5, 5, "-ladra").await, (vec![ids[0]], 1, false));
    assert_eq!(find(5, 5, "duerme").await, (Vec::new(), 0, false));
}

/// Floods of words, beginnings, phrases and exclusions are queries like any other.
pub async fn hostile_queries_get_an_answer(fixture: &StoreFixture) {
    let (id, _) = add_text(fixture, "es", &["otitis externa del gato"]).await;
    let words = |count: usize| (0..count).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    for text in [
        "otitis* gat* ext* del*".to_owned(),
        "vacun* ".repeat(8),
        "a b c d e f g h ".repeat(5),
        words(40),
        format!("\"{}\"", words(50)),
        format!("otitis -\"{}\"", words(50)),
        format!("otitis {}", "-gat* ".repeat(8)),
        "x".repeat(1_999),
        "\" ' OR 1=1; -- \u{200B} % _ \\ 耳炎 التهاب NEAR( {a} ^b".to_owned(),
    ] {
        let parsed = parse_query(&text, |_| false).unwrap();
        for parsed in [parsed, Query::of_beginnings(&text)] {
            for any in [false, true] {
                let alone = |terms: &[_]| terms.iter().cloned().map(|term| vec![term]).collect();
                let text = TextQuery { terms: alone(&parsed.terms), any, excluded: alone(&parsed.excluded) };
                for order in [FoundOrder::Best, FoundOrder::Newest(None)] {
                    let wanted = FindQuery { text: text.clone(), order, ..query("") };
                    fixture.store.search.find(&wanted).await.unwrap();
                }
            }
        }
    }
    assert_eq!(find(fixture, &query("otitis")).await[0].id, id);
}
