//! A word that very many chunks have does not hide documents that fit in other ways, an index of vectors is used and made again, and
//! one process at a time indexes.

// In a test a panic reports a failure.
#![allow(clippy::unwrap_used)]

use quire_domain::{Document, DocumentId};
use quire_ports::{
    DocumentCondition, DocumentProperty, FindQuery, FoundDocuments, FoundOrder, IndexedChunk, IndexedText,
    NearestQuery, NewDocument, OutdatedDocument, SearchIndex as _, Store, TextQuery, VocabularyQuery,
};
use quire_postgres::PgStore;
use quire_postgres::testing::{TestSchema, plan_of_find, plan_of_nearest};
use quire_testkit::fixture::{at, document};
use quire_understanding::search::{Term, hashed_vector};
use sqlx::Executor;
use sqlx::postgres::types::Oid;

/// More chunks than are rated.
const MANY: &str = "INSERT INTO search_chunks (document_number, position, text, boxes, words) \
    SELECT s.number, position, 'factura', '', 'factura'::tsvector \
    FROM search_documents s, generate_series(100, 20200) position";

fn query(terms: &[&str], excluded: &[&str]) -> FindQuery {
    let words = |words: &[&str]| words.iter().map(|word| vec![Term::Word((*word).to_owned())]).collect();
    FindQuery {
        text: TextQuery { terms: words(terms), any: false, excluded: words(excluded) },
        conditions: Vec::new(),
        among: None,
        order: FoundOrder::Best,
        limit: 10,
        count_limit: FoundDocuments::MAX_COUNT,
    }
}

async fn add(store: &Store, second: i64, words: &str) -> DocumentId {
    let new = Document { created_at: at(second), ..document(DocumentId::new()) };
    store.documents.add(NewDocument::uploaded_by("ana", &new, None), at(second)).await.unwrap();
    let chunk =
        IndexedChunk { page: 1, text: words.to_owned(), words: words.to_owned(), ..IndexedChunk::default() };
    let text = IndexedText { language: Some("es".to_owned()), chunks: vec![chunk], ..IndexedText::default() };
    let outdated = OutdatedDocument { id: new.id, run: None };
    assert!(store.search.reindex(outdated, Some(&text)).await.unwrap());
    new.id
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frequent_word_hides_no_document_that_fits() {
    let test_schema = TestSchema::migrated().await;
    let store = test_schema.store().await.into_store();
    let common = add(&store, 1, "factura").await;
    test_schema.connection().await.execute(MANY).await.unwrap();
    let rare = add(&store, 2, "factura zanahoria").await;
    let found = async |query: FindQuery| -> Vec<DocumentId> {
        store.search.find(&query).await.unwrap().documents.into_iter().map(|found| found.id).collect()
    };
    assert_eq!(found(query(&["factura", "zanahoria"], &[])).await, [rare]);
    assert_eq!(found(query(&["factura"], &["zanahoria"])).await, [common]);
    let newest = FindQuery { order: FoundOrder::Newest(None), ..query(&["factura"], &[]) };
    assert_eq!(found(newest).await.first(), Some(&rare), "the newest come first, however many there are");
    let property = DocumentProperty::Language("en".to_owned());
    let english = FindQuery {
        conditions: vec![DocumentCondition { property, is_negated: false }],
        ..query(&["factura"], &[])
    };
    let set = "UPDATE search_documents SET language = 'en' WHERE number = (SELECT max(number) FROM search_documents)";
    test_schema.connection().await.execute(set).await.unwrap();
    assert_eq!(found(english).await, [rare], "filters hold before the limit");
}

/// Words that all documents of many have, and one that a single document has, which is in the middle of them.
const FORMS: &str = "WITH added AS (
        INSERT INTO search_documents (document_id) SELECT gen_random_uuid() FROM generate_series(1, 6000) RETURNING number)
    INSERT INTO search_chunks (document_number, position, text, boxes, words)
    SELECT number, 2, 'factura total', '', ('factura total' || CASE number % 6000 WHEN 3000 THEN ' zanahoria' ELSE '' END)::tsvector
    FROM added";

/// The index without the documents, so that it can be filled by SQL.
async fn with_forms(test_schema: &TestSchema) {
    let mut connection = test_schema.connection().await;
    for statement in [
        "ALTER TABLE search_documents DROP CONSTRAINT search_documents_document_id_fkey",
        FORMS,
        "INSERT INTO search_bands SELECT band, number FROM search_documents, generate_series(1, 3) band",
    ] {
        connection.execute(statement).await.unwrap();
    }
}

/// A relaxed search finds the only document with a rare word, and its count says that there are more.
#[tokio::test(flavor = "multi_thread")]
async fn a_relaxed_search_keeps_its_rare_word() {
    let test_schema = TestSchema::migrated().await;
    with_forms(&test_schema).await;
    let store = test_schema.store().await.into_store();
    let rare = add(&store, 1, "pepino zanahoria").await;
    let common = add(&store, 2, "factura total").await;
    let relaxed = |terms: &[&str]| {
        let mut relaxed = query(terms, &[]);
        relaxed.text.any = true;
        relaxed
    };
    let found = store.search.find(&relaxed(&["factura", "total", "pepino"])).await.unwrap();
    assert_eq!(found.documents.first().map(|found| found.id), Some(rare), "the rare word counts most");
    assert!(found.is_lower_bound, "not all chunks with a frequent word were looked at");
    let exact = store.search.find(&relaxed(&["pepino", "nothing"])).await.unwrap();
    assert_eq!((exact.total, exact.is_lower_bound), (1, false));
    let both = store.search.find(&query(&["factura", "pepino"], &[])).await.unwrap();
    assert_eq!((both.total, both.is_lower_bound), (0, false), "a rare word is known completely");
    let newest = FindQuery { order: FoundOrder::Newest(None), ..query(&["factura", "total"], &[]) };
    let newest = store.search.find(&newest).await.unwrap();
    assert_eq!((newest.documents[0].id, newest.documents[0].chunk), (common, Some(2)));
    assert_eq!((newest.total, newest.is_lower_bound), (1, false), "the others are no documents");
    let best = store.search.find(&query(&["factura", "total"], &["pepino"])).await.unwrap();
    assert_eq!(best.documents[0].id, common);
}

/// The rarest words of a long query find documents, and the total says that there may be more.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_relaxed_search_is_decided_by_its_rarest_words() {
    let test_schema = TestSchema::migrated().await;
    let store = test_schema.store().await.into_store();
    let rare = ["uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho"];
    for (word, second) in rare.iter().zip(1..) {
        add(&store, second, word).await;
    }
    let frequent = [add(&store, 20, "factura").await, add(&store, 21, "factura").await];
    let relaxed = async |terms: &[&str]| {
        let mut relaxed = query(terms, &[]);
        (relaxed.text.any, relaxed.limit) = (true, 100);
        store.search.find(&relaxed).await.unwrap()
    };
    let short = relaxed(&[&rare[1..], &["factura"]].concat()).await;
    assert_eq!((short.total, short.is_lower_bound), (9, false));
    let long = relaxed(&[&rare[..], &["factura"]].concat()).await;
    assert_eq!((long.total, long.is_lower_bound), (8, true));
    assert!(!long.documents.iter().any(|found| frequent.contains(&found.id)));
}

/// More words than a `tsvector` holds.
const TOO_MANY: &str = "INSERT INTO search_chunks (document_number, position, text, boxes, words) \
    SELECT (SELECT max(number) FROM search_documents), position, '', '', \
           (SELECT array_to_tsvector(array_agg(repeat('x', 40) || (position * 1000 + n))) FROM generate_series(1, 1000) n) \
    FROM generate_series(100, 130) position";

/// A document with too many words for the index of whole documents is found by those of its chunks.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_with_too_many_words_is_found() {
    let test_schema = TestSchema::migrated().await;
    let store = test_schema.store().await.into_store();
    let small = add(&store, 1, "factura pepino").await;
    let large = add(&store, 2, "factura zanahoria").await;
    test_schema.connection().await.execute(TOO_MANY).await.unwrap();
    let found = async |terms: &[&str], excluded: &[&str]| -> Vec<DocumentId> {
        let found = store.search.find(&query(terms, excluded)).await.unwrap();
        found.documents.into_iter().map(|found| found.id).collect()
    };
    assert_eq!(found(&["factura", "zanahoria"], &[]).await, [large]);
    assert_eq!(found(&["factura"], &["zanahoria"]).await, [small]);
    assert_eq!(found(&[], &["zanahoria"]).await, [small]);
    assert!(found(&["zanahoria", "pepino"], &[]).await.is_empty());
}

/// Of a form that very many documents have, few are compared; documents that share more than the form are found among them.
#[tokio::test(flavor = "multi_thread")]
async fn documents_of_one_form_are_compared_in_part() {
    let test_schema = TestSchema::migrated().await;
    with_forms(&test_schema).await;
    let store = test_schema.store().await.into_store();
    let mut connection = test_schema.connection().await;
    connection
        .execute("INSERT INTO search_bands SELECT 99, number FROM search_documents WHERE number IN (1, 5)")
        .await
        .unwrap();
    let ids = test_schema.uuids("SELECT document_id FROM search_documents ORDER BY number LIMIT 5").await;
    let found = store.search.sharing_bands(DocumentId(ids[0]), 10_000).await.unwrap();
    assert_eq!(found.len(), 501, "the newest of each band, and those of the small band");
    assert_eq!(found[0].0, DocumentId(ids[4]), "which says more than the bands of the form");
}

/// The lines of a plan that name an index of words, and all lines.
async fn indexes_of_words(store: &PgStore, query: &FindQuery) -> (Vec<String>, String) {
    let plan = plan_of_find(store, query).await;
    let scans = plan.lines().filter_map(|line| line.split_once("Index Scan on ").map(|(_, scan)| scan));
    let names = scans.filter_map(|scan| scan.split(' ').next()).filter(|name| name.ends_with("_by_words"));
    (names.map(str::to_owned).collect(), plan)
}

/// A search asks the indexes of words, whatever the server knows of the tables: nothing as after a start, few documents, or many.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_keeps_its_plan_after_the_server_has_looked_at_the_tables() {
    let test_schema = TestSchema::migrated().await;
    let store = test_schema.store().await;
    let mut connection = test_schema.connection().await;
    let all = query(&["factura", "zanahoria"], &["pepino"]);
    let mut any = query(&["factura", "zanahoria"], &[]);
    any.text.any = true;
    let newest = FindQuery { order: FoundOrder::Newest(None), ..query(&["factura"], &[]) };
    let property = DocumentProperty::Language("en".to_owned());
    let filtered =
        FindQuery { conditions: vec![DocumentCondition { property, is_negated: false }], ..all.clone() };
    let (documents, chunks) = ("search_words_of_documents_by_words", "search_chunks_by_words");
    let looks_at = [
        "",
        "ANALYZE",
        "FORMS",
        "VACUUM",
        "ANALYZE",
        "VACUUM FULL ANALYZE search_chunks, search_words_of_documents",
    ];
    for statement in looks_at {
        match statement {
            "" => {}
            "FORMS" => with_forms(&test_schema).await,
            statement => drop(connection.execute(statement).await.unwrap()),
        }
        for (query, wanted) in [
            (&all, &[chunks, documents][..]),
            (&any, &[chunks][..]),
            (&newest, &[documents][..]),
            (&filtered, &[chunks, documents][..]),
        ] {
            let (mut names, plan) = indexes_of_words(&store, query).await;
            names.sort();
            names.dedup();
            assert_eq!(names, wanted, "after {statement:?}:\n{plan}");
            assert!(!plan.contains("Seq Scan"), "after {statement:?}:\n{plan}");
            // A walk over all documents or chunks by their numbers has no condition.
            for (scan, next) in plan.lines().zip(plan.lines().skip(1)) {
                let is_by_number =
                    scan.contains("search_words_of_documents_pkey") || scan.contains("search_chunks_pkey");
                assert!(!is_by_number || next.contains("Index Cond"), "{scan} after {statement:?}:\n{plan}");
            }
        }
    }
}

fn near(limit: u32) -> NearestQuery {
    NearestQuery { model: "test".to_owned(), vector: hashed_vector("factura"), among: None, limit }
}

/// Proves R204: vectors are found through an HNSW index, also after the creation of one was interrupted.
#[tokio::test(flavor = "multi_thread")]
async fn the_index_of_vectors_is_used_and_made_again_if_it_is_not_valid() {
    let test_schema = TestSchema::migrated().await;
    with_forms(&test_schema).await;
    let mut connection = test_schema.connection().await;
    for statement in [
        "UPDATE search_documents SET model = 'test'",
        "INSERT INTO search_vectors (document_number, position, dimension, embedding) \
         SELECT number, 2, 256, array_fill(0.1::real, ARRAY[255]) || (number % 100)::real FROM search_documents",
        "ANALYZE search_vectors",
    ] {
        connection.execute(statement).await.unwrap();
    }
    let pg = test_schema.store().await;
    assert!(pg.prepare_vectors(256).await.unwrap());
    let plan = plan_of_nearest(&pg, &near(20)).await;
    assert!(plan.contains("search_vectors_by_nearness_256"), "{plan}");
    assert_eq!(pg.nearest(&near(20)).await.unwrap().unwrap().len(), 20);

    let index = "SELECT indexrelid FROM pg_index WHERE indexrelid = 'search_vectors_by_nearness_256'::regclass AND indisvalid";
    let before: Option<Oid> = sqlx::query_scalar(index).fetch_optional(&mut connection).await.unwrap();
    assert!(pg.prepare_vectors(256).await.unwrap());
    let same: Option<Oid> = sqlx::query_scalar(index).fetch_optional(&mut connection).await.unwrap();
    assert!(before.is_some() && before == same, "a valid index stays");
    let interrupt = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'search_vectors_by_nearness_256'::regclass";
    connection.execute(interrupt).await.unwrap();
    assert!(pg.prepare_vectors(256).await.unwrap());
    let made_again: Option<Oid> = sqlx::query_scalar(index).fetch_optional(&mut connection).await.unwrap();
    assert!(made_again.is_some() && made_again != before);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_process_at_a_time_has_the_turn_to_index() {
    let test_schema = TestSchema::migrated().await;
    let (one, other) = (test_schema.store().await, test_schema.store().await);
    let turn = one.indexing_lock().await.unwrap();
    assert!(turn.is_some() && other.indexing_lock().await.unwrap().is_none());
    drop(turn);
    // The server notices a little later that the connection is closed.
    while other.indexing_lock().await.unwrap().is_none() {}
}

/// A word that leaves one document while another one with it is being stored stays known.
#[tokio::test(flavor = "multi_thread")]
async fn a_word_that_another_transaction_is_adding_is_not_forgotten() {
    let test_schema = TestSchema::migrated().await;
    let store = test_schema.store().await.into_store();
    let leaving = add(&store, 1, "zanahoria").await;
    add_term(&test_schema).await;
    // Another process stores a chunk with the word, and has not committed yet.
    let mut adding = test_schema.connection().await;
    adding.execute("BEGIN").await.unwrap();
    adding.execute(include_str!("../queries/search/share_vocabulary.sql")).await.unwrap();
    adding
        .execute(
            "INSERT INTO search_chunks (document_number, position, text, boxes, words) \
             SELECT number, 9, 'zanahoria', '', 'zanahoria'::tsvector FROM search_documents \
             WHERE document_id <> (SELECT document_id FROM search_documents ORDER BY number LIMIT 1)",
        )
        .await
        .unwrap();
    let purge = tokio::spawn({
        let store = store.clone();
        async move { store.documents.purge(leaving.into(), at(9)).await }
    });
    let waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let mut watching = test_schema.connection().await;
    while sqlx::query_scalar::<_, i64>(waits).fetch_one(&mut watching).await.unwrap() == 0
        && !purge.is_finished()
    {}
    adding.execute("COMMIT").await.unwrap();
    purge.await.unwrap().unwrap();
    let word = VocabularyQuery { word: "zanahoria".to_owned(), stems: Vec::new(), similar: None };
    assert!(store.search.vocabulary(&[word]).await.unwrap()[0].is_known);
}

/// A second document, and the word in the vocabulary.
async fn add_term(test_schema: &TestSchema) {
    let store = test_schema.store().await.into_store();
    add(&store, 2, "otra").await;
    let insert = "INSERT INTO search_terms (term, language, stem) VALUES ('zanahoria', 'es', 'zanahori')";
    test_schema.connection().await.execute(insert).await.unwrap();
}
