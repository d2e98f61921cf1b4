//! However hostile a query is, a limited number of chunks is read, looked up and rated; and a rare word is never lost.

use std::time::Duration;

use quire_domain::DocumentId;
use quire_ports::{PortError, SearchIndex};
use quire_understanding::search::{MAX_QUERY_TERMS, Query, parse_query};

use super::*;
use crate::testing::store_fixture_with;
use crate::{SqliteOptions, SqliteStore};

/// Documents with three chunks each. All have the same frequent words; the one with the number 7 has a rare word.
const FILL: &str = "
    WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < 20000)
    INSERT INTO search_words (rowid, words)
    SELECT n.number << 16 | p.value,
           'de la factura abc abd abe acd ' || n.number || CASE WHEN n.number = 7 AND p.value = 2 THEN ' zanahoria' ELSE '' END
    FROM n, json_each('[2,3,4]') p";

/// The words of whole documents.
const FILL_DOCUMENTS: &str = "
    WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < 20000)
    INSERT INTO search_words_of_documents (rowid, words)
    SELECT n.number, 'de la factura abc abd abe acd ' || n.number || CASE WHEN n.number = 7 THEN ' zanahoria' ELSE '' END
    FROM n";

fn filled() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection
        .execute_batch(
            "CREATE TABLE search_documents (number INTEGER PRIMARY KEY, document_id BLOB);
             INSERT INTO search_documents (number) VALUES (20000);
             CREATE TABLE search_chunks (id INTEGER PRIMARY KEY, document_number INTEGER, position INTEGER, text TEXT);
             CREATE TABLE search_terms (term TEXT, language TEXT, stem TEXT, PRIMARY KEY (term, language));
             CREATE VIRTUAL TABLE search_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');
             CREATE VIRTUAL TABLE search_words_of_documents USING fts5 (
                 words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = none, prefix = '2 3'
             );",
        )
        .unwrap();
    connection.execute(FILL, []).unwrap();
    connection.execute(FILL_DOCUMENTS, []).unwrap();
    connection
        .execute(
            "INSERT INTO search_chunks SELECT rowid, rowid >> 16, rowid & 65535, 'de la factura' FROM search_words",
            [],
        )
        .unwrap();
    connection
}

fn query(query: Query, any: bool) -> FindQuery {
    let alone = |terms: Vec<Term>| terms.into_iter().map(|term| vec![term]).collect();
    FindQuery {
        text: TextQuery { terms: alone(query.terms), any, excluded: alone(query.excluded) },
        conditions: Vec::new(),
        among: None,
        order: FoundOrder::Best,
        limit: 10,
        count_limit: FoundDocuments::MAX_COUNT,
    }
}

fn parsed(text: &str, any: bool) -> FindQuery {
    query(parse_query(text, |_| false).unwrap(), any)
}

#[test]
fn floods_of_words_and_beginnings_read_a_limited_number_of_chunks() {
    let connection = filled();
    let many = "de la factura ".repeat(13);
    let excluding = format!("factura {}", "-abc ".repeat(30));
    for query in [
        parsed("abc* abd* abe* ab* a* d* l* f*", false),
        parsed("abc* abd* abe* ab* a* d* l* f*", true),
        parsed(&many, false),
        parsed(&many, true),
        parsed(&excluding, false),
        parsed(&format!("\"{}\"", "de la factura ".repeat(16)), false),
        query(Query::of_beginnings(&"a b c d e f g ".repeat(5)), false),
        query(Query::of_beginnings(&"abc ".repeat(40)), false),
    ] {
        let found = matches(&connection, &query).unwrap();
        let rows = MAX_ROWS.max(MAX_QUERY_TERMS * ROWS_OF_TERM.0) + ROWS_OF_PHRASE;
        assert!(found.rows <= rows, "{} rows", found.rows);
        assert!(found.lookups <= MAX_LOOKUPS && found.rated <= MAX_RATED, "{found:?}");
    }
}

#[test]
fn a_beginning_that_very_many_words_have_finds_all_documents_and_shows_where() {
    let connection = filled();
    let found = |text: &str| matches(&connection, &parsed(text, false)).unwrap();
    let beginning = found("zan*");
    assert_eq!((beginning.documents.len(), beginning.is_cut_short), (1, false));
    connection
        .execute_batch(
            "WITH RECURSIVE n (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM n WHERE number < 300)
             INSERT INTO search_terms SELECT 'zana' || printf('%03d', number), 'es', 'zana' FROM n;
             INSERT INTO search_words (rowid, words) VALUES (8 << 16 | 5, 'zana007'), (9 << 16 | 5, 'zana299');
             INSERT INTO search_chunks VALUES (8 << 16 | 5, 8, 5, 'zana007'), (9 << 16 | 5, 9, 5, 'zana299');
             INSERT OR REPLACE INTO search_words_of_documents (rowid, words) VALUES (8, 'zana007'), (9, 'zana299');",
        )
        .unwrap();
    let beginning = found("zan*");
    let places: Vec<_> = beginning.documents.iter().map(|found| (found.number, found.position)).collect();
    // Document 9 has none of the words that stand for the beginning among chunks, and is read instead.
    assert_eq!(places, [(9, Some(5)), (8, Some(5)), (7, None)]);
    assert!(!beginning.is_cut_short, "these are all");
}

#[test]
fn a_rare_word_is_found_whatever_frequent_words_stand_beside_it() {
    let connection = filled();
    let many = "de la factura ".repeat(10);
    for (text, any) in [
        ("zanahoria".to_owned(), false),
        (format!("{many} zanahoria"), false),
        ("abc* abd* zanahoria".to_owned(), false),
        ("zanahoria -luna".to_owned(), false),
    ] {
        let found = matches(&connection, &parsed(&text, any)).unwrap();
        let numbers: Vec<i64> = found.documents.iter().map(|document| document.number).collect();
        assert_eq!((numbers, found.is_cut_short), (vec![7], false), "{text}");
    }
    let relaxed = matches(&connection, &parsed(&format!("{many} zanahoria"), true)).unwrap();
    assert!(relaxed.documents.iter().any(|document| document.number == 7), "the oldest, among all others");
    assert!(relaxed.is_cut_short, "and there are more than were looked at");
    assert!(matches(&connection, &parsed("zanahoria -factura", false)).unwrap().documents.is_empty());
    assert!(matches(&connection, &parsed("zanahoria -factura", true)).unwrap().documents.is_empty());
}

/// Words of a phrase may stand in a document in another order, and only its chunks tell.
#[test]
fn phrases_of_frequent_words_are_confirmed_in_chunks() {
    let connection = filled();
    let found = |text: &str, any: bool| matches(&connection, &parsed(text, any)).unwrap();
    assert!(found("\"factura la\"", false).documents.is_empty());
    assert!(found("\"la factura\" 20000", false).documents.iter().any(|found| found.number == 20_000));
    let rare = found("\"acd 7 zanahoria\"", false);
    assert_eq!((rare.documents.len(), rare.lookups), (1, 1));
    assert!(found("zanahoria -\"la factura\"", false).documents.is_empty());
    assert_eq!(found("zanahoria -\"factura la\"", false).documents.len(), 1);
    assert_eq!(found("zanahoria -\"factura la\"", true).documents.len(), 1);
    let all = found("\"la factura\"", false);
    assert!(all.is_cut_short && all.documents.len() >= ROWS_OF_PHRASE / 3, "{}", all.documents.len());
}

/// Documents with the same words.
const FILL_SAME: &str = "
    INSERT INTO search_words (rowid, words)
    SELECT rowid | 6, 'come poco y duerme' FROM search_words WHERE rowid & 65535 = 2 AND rowid >> 16 BETWEEN 101 AND 140;
    INSERT OR REPLACE INTO search_words_of_documents (rowid, words)
    SELECT rowid, 'come poco y duerme' FROM search_words_of_documents WHERE rowid BETWEEN 101 AND 140;";

/// A lookup in a document opens the lists of all words of the phrase, so that many lookups take longer than one query.
#[test]
fn phrases_that_many_documents_may_have_are_not_looked_up_in_each() {
    let connection = filled();
    connection.execute_batch(FILL_SAME).unwrap();
    let excluded = format!("come {}", "-\"poco come\" -\"y poco\" ".repeat(19));
    for (text, expected) in [
        ("\"come poco\"", 40),
        ("\"poco come\"", 0),
        ("\"come poco y duerme come poco y duerme\"", 0),
        ("come -\"come poco\"", 0),
        (&excluded, 40),
    ] {
        for any in [false, true] {
            let found = matches(&connection, &parsed(text, any)).unwrap();
            assert_eq!((found.documents.len(), found.lookups), (expected, 0), "{text}");
        }
    }
}

/// A search whose time is over ends with an error that says what to do, and the connection is good for the next reader.
#[tokio::test]
async fn a_search_that_takes_too_long_ends_and_frees_its_connection() {
    let options = SqliteOptions { search_time: Duration::ZERO, readers: 1, ..SqliteOptions::default() };
    let (_fixture, path) = store_fixture_with(SqliteOptions::default()).await;
    let store = SqliteStore::open(&path, options).unwrap();
    for text in ["luna", "-luna"] {
        let slow = store.find(&parsed(text, false)).await.unwrap_err();
        assert!(matches!(&slow, PortError::Unavailable { reason, .. } if reason.contains("fewer")), "{slow}");
        assert!(slow.is_contention(), "nothing is in doubt");
    }
    assert!(store.chunks_of(DocumentId::new()).await.unwrap().is_empty(), "other reads have no such limit");
}
