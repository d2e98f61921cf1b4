//! The words of whole documents are those of their chunks, also after an upgrade and after an older program has worked.

use quire_domain::{Document, DocumentId};
use quire_ports::{
    FindQuery, FoundDocuments, FoundOrder, IndexedChunk, IndexedText, NewDocument, OutdatedDocument, Store,
    TextQuery,
};
use quire_testkit::fixture::{at, document};

use super::*;
use crate::testing::store_fixture;

/// The version before the words of whole documents.
const BEFORE: u32 = 36;

async fn add_document(store: &Store, name: &str, texts: &[&str]) -> DocumentId {
    let added = Document { original_filename: name.to_owned(), ..document(DocumentId::new()) };
    store.documents.add(NewDocument::uploaded_by("ana", &added, None), at(0)).await.unwrap();
    write(store, added.id, texts).await;
    added.id
}

async fn write(store: &Store, id: DocumentId, texts: &[&str]) {
    let chunk = |text: &&str| IndexedChunk {
        page: 1,
        text: (*text).to_owned(),
        words: tokenize(text).join(" "),
        ..IndexedChunk::default()
    };
    let text = IndexedText { chunks: texts.iter().map(chunk).collect(), ..IndexedText::default() };
    assert!(store.search.reindex(OutdatedDocument { id, run: None }, Some(&text)).await.unwrap());
}

async fn found(store: &Store, words: &str) -> Vec<DocumentId> {
    let terms = words.split(' ').map(|word| vec![Term::Word(word.to_owned())]).collect();
    let query = FindQuery {
        text: TextQuery { terms, ..TextQuery::default() },
        conditions: Vec::new(),
        among: None,
        order: FoundOrder::Best,
        limit: 10,
        count_limit: FoundDocuments::MAX_COUNT,
    };
    store.search.find(&query).await.unwrap().documents.into_iter().map(|document| document.id).collect()
}

#[tokio::test]
async fn an_upgrade_keeps_the_words_that_documents_have_and_no_others() {
    let fixture = store_fixture().await;
    let store = &fixture.store;
    let kept = add_document(store, "uno.pdf", &["otitis del gato", "mayo"]).await;
    let changed = add_document(store, "dos.pdf", &["otitis del perro"]).await;
    write(store, changed, &["mayo"]).await;
    let purged = add_document(store, "tres.pdf", &["otitis en mayo"]).await;
    store.documents.purge(purged.into(), at(9)).await.unwrap();
    store.migrations.down(BEFORE).await.unwrap();
    store.migrations.up(None).await.unwrap();
    assert_eq!(found(store, "otitis mayo uno").await, [kept]);
    assert_eq!(found(store, "mayo dos").await, [changed]);
    assert!(found(store, "tres").await.is_empty());
    assert_eq!(fixture.count("search_documents WHERE has_words = 0").await, 0);
}

/// It writes chunks and their words, and knows nothing of the words of whole documents.
#[tokio::test]
async fn what_an_older_program_has_indexed_is_found_from_the_next_turn_on() {
    let fixture = store_fixture().await;
    let store = &fixture.store;
    let id = add_document(store, "uno.pdf", &["otitis"]).await;
    for statement in [
        "DELETE FROM search_chunks WHERE position = 2",
        "INSERT INTO search_chunks (id, document_number, position, text, boxes) VALUES (1 << 16 | 2, 1, 2, 'gato', x'')",
        "INSERT INTO search_words (rowid, words) VALUES (1 << 16 | 2, 'gato')",
    ] {
        fixture.sql.execute(statement).await.unwrap();
    }
    assert_eq!(fixture.count("search_documents WHERE has_words = 0").await, 1);
    assert!(store.search.indexing_lock().await.unwrap().is_some());
    assert_eq!(found(store, "gato uno").await, [id]);
    assert!(found(store, "otitis").await.is_empty());
    assert_eq!(fixture.count("search_documents WHERE has_words = 0").await, 0);
}
