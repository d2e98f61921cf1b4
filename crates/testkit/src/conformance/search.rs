//! The search index: what is found, and that it follows the state of documents at once.

use quire_domain::{Document, DocumentId, DocumentStatus, ReviewStatus, RunId};
use quire_ports::{
    DocumentCondition, DocumentProperty, FindQuery, FoundDocument, FoundDocuments, FoundOrder, IndexedChunk,
    IndexedTerm, IndexedText, NearestQuery, NewDocument, OutdatedDocument, OutdatedQuery, SimilarWords,
    TextQuery, VocabularyQuery,
};
use quire_understanding::search::{
    Query, Spelling, Term, hashed_vector, is_vocabulary_word, parse_query, signature, stem, tokenize,
    trigrams,
};

use super::interpretations::{add_field, default_fields, edit};
use crate::fixture::{StoreFixture, at, document};

pub(super) fn query(text: &str) -> FindQuery {
    let Query { terms, excluded, filters, .. } = parse_query(text, |key| key.starts_with("pet_")).unwrap();
    let alone = |terms: Vec<Term>| terms.into_iter().map(|term| vec![term]).collect();
    let fields = filters.into_iter().map(|filter| DocumentCondition {
        property: DocumentProperty::Field { key: filter.key, condition: filter.condition },
        is_negated: filter.is_negated,
    });
    FindQuery {
        text: TextQuery { terms: alone(terms), any: false, excluded: alone(excluded) },
        conditions: fields.collect(),
        among: None,
        order: FoundOrder::Best,
        limit: 100,
        count_limit: FoundDocuments::MAX_COUNT,
    }
}

pub(super) async fn find(fixture: &StoreFixture, query: &FindQuery) -> Vec<FoundDocument> {
    let found = fixture.store.search.find(query).await.unwrap();
    assert_eq!(found.total as usize, found.documents.len());
    found.documents
}

/// The documents that a query finds, by id.
pub(super) async fn search(fixture: &StoreFixture, text: &str) -> Vec<DocumentId> {
    let mut ids: Vec<_> = find(fixture, &query(text)).await.into_iter().map(|found| found.id).collect();
    ids.sort();
    ids
}

/// The model of all vectors here.
pub(super) const MODEL: &str = "test";

pub(super) fn missing_text(after: Option<DocumentId>) -> OutdatedQuery {
    OutdatedQuery { after, missing_text: true, limit: 10, ..OutdatedQuery::default() }
}

/// A text with one chunk on each page.
pub(super) fn indexed_text(language: &str, pages: &[&str]) -> IndexedText {
    let chunk = |(text, page): (&&str, u32)| IndexedChunk {
        page,
        text: (*text).to_owned(),
        words: tokenize(text).join(" "),
        boxes: vec![7; 12],
        vector: Some(hashed_vector(text)),
    };
    let words = pages.iter().flat_map(|page| tokenize(page)).filter(|word| is_vocabulary_word(word));
    let mut terms: Vec<_> =
        words.map(|term| IndexedTerm { stem: stem(&term, Some(language)), term }).collect();
    terms.sort();
    terms.dedup();
    IndexedText {
        language: Some(language.to_owned()),
        chunks: pages.iter().zip(1..).map(chunk).collect(),
        terms,
        model: Some(MODEL.to_owned()),
        embedding: Some(hashed_vector(&pages.join(" "))),
        signature: signature(tokenize(&pages.join(" ")).iter().map(String::as_str)),
    }
}

/// A completed document whose pages have these texts.
pub(super) async fn add_text(fixture: &StoreFixture, language: &str, pages: &[&str]) -> (DocumentId, RunId) {
    let (id, run, _) = fixture.interpreted_document().await;
    let outdated = OutdatedDocument { id, run: Some(run) };
    let text = indexed_text(language, pages);
    assert!(fixture.store.search.reindex(outdated, Some(&text)).await.unwrap());
    (id, run)
}

/// Proves R063 for values: the words change with each version, and a query is not a pattern.
pub async fn a_document_is_found_by_the_values_of_its_active_version(fixture: &StoreFixture) {
    let (first, run, _) = fixture.interpreted_document().await;
    let (second, _, _) = fixture.interpreted_document().await;
    let mut both = vec![first, second];
    both.sort();
    assert_eq!(search(fixture, "LUNA").await, both);
    assert!(search(fixture, "siamés").await.is_empty());
    for pattern in ["L_na", "L?na", "l%"] {
        assert!(search(fixture, pattern).await.is_empty(), "{pattern}");
    }
    let base = fixture.active_version(run).await;
    let edited = edit(&base, &[add_field("breed", "Siamés")], at(9));
    fixture.store.reviews.save(&edited).await.unwrap().unwrap();
    assert_eq!(search(fixture, "siames").await, [first]);
    let among = FindQuery { among: Some(vec![second, DocumentId::new()]), ..query("luna") };
    assert_eq!(find(fixture, &among).await[0].id, second);
    fixture.store.documents.purge(first.into(), at(20)).await.unwrap();
    assert!(search(fixture, "siames").await.is_empty());
    assert_eq!(search(fixture, "luna").await, [second]);
    assert_eq!(fixture.count("search_documents").await, 1);
}

/// Proves R070 for the search: it finds the values that the review shows.
pub async fn only_the_latest_completed_run_is_searched(fixture: &StoreFixture) {
    let (document, first, _) = fixture.interpreted_document().await;
    let second = fixture.enqueue(document.into(), at(5)).await;
    assert_eq!(search(fixture, "luna").await, [document], "while another run is queued");
    fixture.complete_next_run(second, Some(default_fields()), 0).await;
    fixture.edit_active_version(first, &[add_field("breed", "galgo")], at(9)).await;
    assert!(search(fixture, "galgo").await.is_empty(), "an older run was edited");
    let third = fixture.enqueue(document.into(), at(10)).await;
    fixture.complete_next_run(third, None, 0).await;
    assert!(search(fixture, "luna").await.is_empty(), "the newest run has no interpretation");
    assert_eq!(search(fixture, "record").await, [document], "its name is found nevertheless");
}

/// A document without a run is found by its name; words, phrases, beginnings and exclusions hold for the whole document.
pub async fn words_may_stand_in_different_chunks_of_a_document(fixture: &StoreFixture) {
    let named =
        Document { original_filename: "Factura_ÁRBOL-7.pdf".to_owned(), ..document(DocumentId::new()) };
    fixture.store.documents.add(NewDocument::uploaded_by("ana", &named, None), at(0)).await.unwrap();
    let (cat, _) =
        add_text(fixture, "es", &["El gato tiene otitis crónica.", "Vacunación completa en mayo."]).await;
    let (dog, _) = add_text(fixture, "en", &["The dog has chronic otitis.", "Draft: not yet signed."]).await;
    let both = |mut ids: Vec<DocumentId>| {
        ids.sort();
        ids
    };
    for (text, expected) in [
        ("arbol", vec![named.id]),
        ("factura 7", vec![named.id]),
        ("otitis", vec![cat, dog]),
        ("otitis mayo", vec![cat]),
        ("otitis -draft", vec![cat]),
        ("-draft -factura", vec![cat]),
        ("\"otitis cronica\"", vec![cat]),
        ("\"cronica otitis\"", vec![]),
        ("\"chronic otitis\"", vec![dog]),
        ("vacunac*", vec![cat]),
        ("luna otitis", vec![cat, dog]),
        ("otitis nothing", vec![]),
        ("pet_name:luna otitis -mayo", vec![dog]),
        ("-pet_name:luna", vec![named.id]),
        ("pet_name:>3", vec![]),
    ] {
        assert_eq!(search(fixture, text).await, both(expected), "{text}");
    }
    let found = find(fixture, &query("vacunacion")).await.remove(0);
    assert_eq!(
        (found.chunk, found.language.as_deref(), found.status),
        (Some(3), Some("es"), DocumentStatus::Completed)
    );
    let chunk = fixture.store.search.chunks(&[(cat, 3)]).await.unwrap().remove(0);
    assert_eq!((chunk.page, chunk.boxes.len()), (Some(2), 12));
    assert_eq!(chunk.text, "Vacunación completa en mayo.");
    assert_eq!(fixture.store.search.chunks_of(cat).await.unwrap().len(), 4);
    let any = FindQuery { text: TextQuery { any: true, ..query("otitis mayo").text }, ..query("") };
    assert_eq!(find(fixture, &any).await.len(), 2);
}

/// The best hit comes first, and the newest where time orders.
pub async fn results_are_ordered_and_filtered_by_properties(fixture: &StoreFixture) {
    let (weak, _) =
        add_text(fixture, "es", &["otitis y muchas otras palabras de relleno sin relación alguna"]).await;
    let (strong, _) = add_text(fixture, "es", &["otitis otitis externa"]).await;
    let found: Vec<_> = find(fixture, &query("otitis")).await.iter().map(|found| found.id).collect();
    assert_eq!(found, [strong, weak]);
    let of = |property: DocumentProperty, is_negated: bool| FindQuery {
        conditions: vec![DocumentCondition { property, is_negated }],
        ..query("otitis")
    };
    let language = |name: &str| DocumentProperty::Language(name.to_owned());
    for (query, expected) in [
        (of(language("es"), false), 2),
        (of(language("en"), false), 0),
        (of(language("en"), true), 2),
        (of(DocumentProperty::Review(ReviewStatus::Reviewed), false), 0),
        (of(DocumentProperty::Status(DocumentStatus::Completed), false), 2),
        (of(DocumentProperty::Status(DocumentStatus::Uploaded), false), 0),
        (of(DocumentProperty::Schema("other".to_owned()), true), 2),
    ] {
        assert_eq!(find(fixture, &query).await.len(), expected, "{query:?}");
    }
    let newest = FindQuery { order: FoundOrder::Newest(None), limit: 1, ..query("otitis") };
    let first = fixture.store.search.find(&newest).await.unwrap();
    assert_eq!((first.documents.len(), first.total), (1, 2));
    let keys = fixture.store.search.field_keys().await.unwrap();
    assert!(keys.contains(&"pet_name".to_owned()), "{keys:?}");
    let facets = fixture.store.search.field_facets(&[weak, strong], 5).await.unwrap();
    let luna = facets.iter().find(|facet| facet.key == "pet_name").unwrap();
    assert_eq!((luna.value.as_str(), luna.count), ("Luna", 2));
}

/// Other forms of a word are found by their stem, misspelt words by their trigrams; a purge forgets the words.
pub async fn the_vocabulary_knows_forms_and_slips_and_forgets_what_was_purged(fixture: &StoreFixture) {
    let (document, _) = add_text(fixture, "es", &["Vacunas pendientes del esternocleidomastoideo"]).await;
    let look_up = |word: &'static str| async move {
        let query = VocabularyQuery {
            word: word.to_owned(),
            stems: vec![("es".to_owned(), stem(word, Some("es")))],
            similar: Spelling::of(word).map(|spelling| SimilarWords {
                trigrams: trigrams(word),
                common: spelling.common_trigrams(),
                lengths: spelling.lengths(),
            }),
        };
        fixture.store.search.vocabulary(&[query]).await.unwrap().remove(0)
    };
    assert!(look_up("vacunas").await.is_known);
    let form = look_up("vacuna").await;
    assert_eq!((form.is_known, form.forms), (false, vec!["vacunas".to_owned()]));
    let slip = look_up("pendeintes").await;
    assert!(slip.similar.contains(&"pendientes".to_owned()), "{slip:?}");
    fixture.store.documents.purge(document.into(), at(30)).await.unwrap();
    for table in ["search_documents", "search_chunks", "search_terms", "search_trigrams"] {
        assert_eq!(fixture.count(table).await, 0, "{table}");
    }
    assert!(!look_up("vacunas").await.is_known);
}

/// Documents from before the index, and those whose text was never indexed, are found and written again.
pub async fn outdated_entries_are_found_and_written_again(fixture: &StoreFixture) {
    let (id, run, _) = fixture.interpreted_document().await;
    let outdated = fixture.store.search.outdated(&missing_text(None)).await.unwrap();
    assert_eq!(outdated, [OutdatedDocument { id, run: Some(run) }], "its text is not indexed");
    assert!(
        fixture
            .store
            .search
            .outdated(&OutdatedQuery { limit: 10, ..OutdatedQuery::default() })
            .await
            .unwrap()
            .is_empty(),
        "its values are"
    );
    fixture.sql.execute("DELETE FROM search_documents").await.unwrap();
    assert!(search(fixture, "luna").await.is_empty());
    assert_eq!(fixture.store.search.outdated(&missing_text(None)).await.unwrap(), outdated);
    let text = indexed_text("es", &["otitis"]);
    let stale = OutdatedDocument { id, run: Some(RunId::new()) };
    assert!(!fixture.store.search.reindex(stale, Some(&text)).await.unwrap(), "another run has completed");
    assert!(fixture.store.search.reindex(outdated[0], Some(&text)).await.unwrap());
    assert_eq!(search(fixture, "luna otitis record").await, [id]);
    assert!(fixture.store.search.outdated(&missing_text(None)).await.unwrap().is_empty());
    assert!(fixture.store.search.outdated(&missing_text(Some(id))).await.unwrap().is_empty());
}

async fn nearest(fixture: &StoreFixture, model: &str, text: &str, limit: u32) -> Vec<(DocumentId, u32)> {
    let query = NearestQuery { model: model.to_owned(), vector: hashed_vector(text), among: None, limit };
    let near = fixture.store.search.nearest(&query).await.unwrap().expect("the database finds vectors");
    assert!(near.is_sorted_by(|one, next| one.similarity >= next.similarity), "{near:?}");
    near.iter().map(|near| (near.document, near.position)).collect()
}

/// Proves R204, R166: the vectors of chunks are found by nearness through an index, and a document has one of its own.
pub async fn near_vectors_are_found_and_follow_their_documents(fixture: &StoreFixture) {
    assert!(fixture.store.search.prepare_vectors(256).await.unwrap());
    let (cat, run) = add_text(fixture, "es", &["el gato maúlla de noche", "factura de la luz"]).await;
    let (dog, _) = add_text(fixture, "es", &["el perro ladra"]).await;
    assert_eq!(nearest(fixture, MODEL, "perro que ladra", 1).await, [(dog, 2)]);
    assert_eq!(nearest(fixture, MODEL, "facturas de luz", 1).await, [(cat, 3)]);
    assert_eq!(nearest(fixture, MODEL, "gato", 10).await.len(), 3);
    assert!(nearest(fixture, "another model", "gato", 10).await.is_empty(), "models are not compared");
    assert_eq!(fixture.count("documents WHERE embedding IS NOT NULL AND embedding_model = 'test'").await, 2);
    let another = OutdatedQuery { model: Some("another".to_owned()), ..missing_text(None) };
    assert_eq!(
        fixture.store.search.outdated(&another).await.unwrap().len(),
        2,
        "a new model embeds them again"
    );
    let same = OutdatedQuery { model: Some(MODEL.to_owned()), ..missing_text(None) };
    assert!(fixture.store.search.outdated(&same).await.unwrap().is_empty());
    let again = indexed_text("es", &["nada más"]);
    let document = OutdatedDocument { id: cat, run: Some(run) };
    assert!(fixture.store.search.reindex(document, Some(&again)).await.unwrap());
    assert_eq!(nearest(fixture, MODEL, "facturas de luz", 10).await.len(), 2, "the old vectors are gone");
    fixture.store.documents.purge(dog.into(), at(40)).await.unwrap();
    assert_eq!(nearest(fixture, MODEL, "perro que ladra", 10).await, [(cat, 2)]);
    assert_eq!(fixture.count("search_vectors").await, 1);
}
