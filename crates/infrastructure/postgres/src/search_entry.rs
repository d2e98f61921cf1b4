//! Writes the entries of documents in the search index. Each function writes those of all its documents with a fixed number of
//! statements.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use quire_domain::{DocumentId, RunId};
use quire_ports::{IndexedText, PortResult, RunWrite, VALUES_CHUNK};
use quire_sql::search::{IndexEntry, term_of_tsquery, text_chunks, tsvector};
use quire_understanding::search::{
    Term, bands, encode_signature, is_vocabulary_word, tokenize, trigrams, values_text,
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::translate;
use crate::row::{int, mapped, text};
use crate::{sql, vectors};

/// The last position that a chunk can have.
const LAST: i32 = 65_535;

/// An entry and the number of its document.
type Numbered = (i64, IndexEntry);

/// A document that is in the index.
struct Entry {
    number: i64,
    language: Option<String>,
}

/// Adds documents to the index by their file names, unless they are in it. Returns whether it added any.
pub(crate) async fn add(connection: &mut PgConnection, documents: &[DocumentId]) -> PortResult<bool> {
    let added = sqlx::query(sql!("search/insert_documents"))
        .bind(ids(documents))
        .fetch_all(&mut *connection)
        .await
        .map_err(translate)?;
    let names = mapped(&added, |row| {
        Ok((row.integer::<i64>("number")?, IndexEntry::of_name(row.text("original_filename")?)))
    })?;
    let is_new = !names.is_empty();
    insert(connection, names).await?;
    Ok(is_new)
}

/// Replaces the entries of the documents whose runs complete with these writes. Without a text, the values of a document alone
/// are found.
pub(crate) async fn complete(connection: &mut PgConnection, accepted: &[&RunWrite]) -> PortResult<()> {
    let completed = accepted.iter().filter_map(|write| {
        let run = &write.transition.as_ref()?.run;
        let document = DocumentId(run.subject.0);
        run.is_completed_document().then_some((document, Some(run.id), write.text.as_deref()))
    });
    replace(connection, &completed.collect::<Vec<_>>()).await
}

/// Replaces the entries of documents by those of the given runs.
pub(crate) async fn replace(
    connection: &mut PgConnection,
    documents: &[(DocumentId, Option<RunId>, Option<&IndexedText>)],
) -> PortResult<()> {
    if documents.is_empty() {
        return Ok(());
    }
    let all: Vec<DocumentId> = documents.iter().map(|(document, ..)| *document).collect();
    let mut known = entries(connection, &all).await?;
    let missing: Vec<DocumentId> =
        all.iter().copied().filter(|document| !known.contains_key(document)).collect();
    if !missing.is_empty() && add(connection, &missing).await? {
        known.extend(entries(connection, &missing).await?);
    }
    // A run whose subject is no document has no entry.
    let indexed: Vec<_> = documents
        .iter()
        .filter_map(|(document, run, text)| Some((known.get(document)?.number, *document, *run, *text)))
        .collect();
    if indexed.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = indexed.iter().map(|(number, ..)| *number).collect();
    let mut former = vocabulary_of(connection, ids(&all), int(VALUES_CHUNK)..=LAST).await?;
    delete(connection, &numbers, LAST).await?;
    let language =
        |indexed: Option<&IndexedText>| indexed.and_then(|indexed| indexed.language.as_deref().map(text));
    sqlx::query(sql!("search/set_runs"))
        .bind(&numbers)
        .bind(indexed.iter().map(|(_, _, run, _)| run.map(|run| run.0)).collect::<Vec<_>>())
        .bind(indexed.iter().map(|(.., text)| text.is_some()).collect::<Vec<_>>())
        .bind(indexed.iter().map(|(.., text)| language(*text)).collect::<Vec<_>>())
        .bind(indexed.iter().map(|(.., text)| text.and_then(|text| text.model.clone())).collect::<Vec<_>>())
        .bind(
            indexed
                .iter()
                .map(|(.., text)| text.map(|text| encode_signature(&text.signature)))
                .collect::<Vec<_>>(),
        )
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    replace_bands(connection, &numbers, &indexed).await?;
    let embeddings: Vec<_> = indexed.iter().map(|(_, document, _, text)| (*document, *text)).collect();
    vectors::set_embeddings(connection, &embeddings).await?;
    let languages: BTreeMap<DocumentId, (i64, Option<String>)> =
        indexed.iter().map(|(number, document, _, text)| (*document, (*number, language(*text)))).collect();
    let mut written = values(connection, &languages).await?;
    written.extend(indexed.iter().filter_map(|(number, .., text)| Some((*number, text_chunks((*text)?)))));
    remove_known(&mut former, &written);
    forget(connection, former).await?;
    insert(connection, written).await
}

async fn replace_bands(
    connection: &mut PgConnection,
    numbers: &[i64],
    indexed: &[(i64, DocumentId, Option<RunId>, Option<&IndexedText>)],
) -> PortResult<()> {
    sqlx::query(sql!("search/delete_bands"))
        .bind(numbers)
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    let rows: Vec<(i64, i64)> = indexed
        .iter()
        .filter_map(|(number, .., text)| Some((*number, (*text)?)))
        .flat_map(|(number, text)| bands(&text.signature).into_iter().map(move |band| (band, number)))
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("search/insert_bands"))
        .bind(rows.iter().map(|(band, _)| *band).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, number)| *number).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// Leaves the words that are not in these entries.
fn remove_known(former: &mut BTreeSet<String>, entries: &[Numbered]) {
    for term in entries.iter().flat_map(|(_, entry)| &entry.terms) {
        former.remove(&term.term);
    }
}

/// Replaces the values of a document, after an edit of the run that is indexed.
pub(crate) async fn refresh_values(connection: &mut PgConnection, document: DocumentId) -> PortResult<()> {
    add(connection, &[document]).await?;
    let Some(entry) = entries(connection, &[document]).await?.remove(&document) else { return Ok(()) };
    let positions = int(VALUES_CHUNK)..=int(VALUES_CHUNK);
    let mut former = vocabulary_of(connection, ids(&[document]), positions).await?;
    delete(connection, &[entry.number], int(VALUES_CHUNK)).await?;
    let values = values(connection, &BTreeMap::from([(document, (entry.number, entry.language))])).await?;
    remove_known(&mut former, &values);
    forget(connection, former).await?;
    insert(connection, values).await
}

async fn entries(
    connection: &mut PgConnection,
    documents: &[DocumentId],
) -> PortResult<BTreeMap<DocumentId, Entry>> {
    let found = sqlx::query(sql!("search/numbers_of"))
        .bind(ids(documents))
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    let found = mapped(&found, |row| {
        let entry = Entry { number: row.integer("number")?, language: row.optional_string("language")? };
        Ok((DocumentId(row.uuid("document_id")?), entry))
    })?;
    Ok(found.into_iter().collect())
}

/// Deletes the values and the chunks of text up to a position.
async fn delete(connection: &mut PgConnection, numbers: &[i64], last: i32) -> PortResult<()> {
    sqlx::query(sql!("search/delete_chunks"))
        .bind(numbers)
        .bind(int(VALUES_CHUNK))
        .bind(last)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// The entries of the values of documents, which are given with their numbers and languages.
async fn values(
    connection: &mut PgConnection,
    documents: &BTreeMap<DocumentId, (i64, Option<String>)>,
) -> PortResult<Vec<Numbered>> {
    let rows = sqlx::query(sql!("search/values_of"))
        .bind(documents.keys().map(|document| document.0).collect::<Vec<Uuid>>())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    let rows = mapped(&rows, |row| {
        let document = DocumentId(row.uuid("document_id")?);
        Ok((document, row.string("value")?, row.optional_string("date_value")?))
    })?;
    let of_documents = rows.chunk_by(|one, next| one.0 == next.0);
    let entry = |rows: &[(DocumentId, String, Option<String>)]| {
        let (number, language) = documents.get(&rows.first()?.0)?;
        let values = values_text(rows.iter().map(|(_, value, date)| (value.as_str(), date.as_deref())));
        Some((*number, IndexEntry::of_values(values, language.as_deref())))
    };
    Ok(of_documents.filter_map(entry).collect())
}

async fn insert(connection: &mut PgConnection, entries: Vec<Numbered>) -> PortResult<()> {
    let chunks: Vec<_> = entries
        .iter()
        .flat_map(|(number, entry)| entry.chunks.iter().map(move |chunk| (*number, chunk)))
        .collect();
    if chunks.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("search/insert_chunks"))
        .bind(chunks.iter().map(|(number, _)| *number).collect::<Vec<_>>())
        .bind(chunks.iter().map(|(_, chunk)| int(chunk.position)).collect::<Vec<_>>())
        .bind(chunks.iter().map(|(_, chunk)| chunk.page.map(int)).collect::<Vec<_>>())
        .bind(chunks.iter().map(|(_, chunk)| text(&chunk.text)).collect::<Vec<_>>())
        .bind(chunks.iter().map(|(_, chunk)| &chunk.boxes[..]).collect::<Vec<_>>())
        .bind(chunks.iter().map(|(_, chunk)| tsvector(&chunk.words)).collect::<Vec<_>>())
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    vectors::insert(connection, &chunks).await?;
    let terms: BTreeSet<(&str, &str, &str)> = entries
        .iter()
        .flat_map(|(_, entry)| {
            entry.terms.iter().map(|term| (term.term.as_str(), entry.language.as_str(), term.stem.as_str()))
        })
        .collect();
    insert_terms(connection, &terms).await
}

async fn insert_terms(connection: &mut PgConnection, terms: &BTreeSet<(&str, &str, &str)>) -> PortResult<()> {
    if terms.is_empty() {
        return Ok(());
    }
    // A transaction that removes words waits until these chunks are committed: it cannot see them before.
    sqlx::query(sql!("search/share_vocabulary")).execute(&mut *connection).await.map_err(translate)?;
    let new = sqlx::query(sql!("search/insert_terms"))
        .bind(terms.iter().map(|(term, ..)| *term).collect::<Vec<_>>())
        .bind(terms.iter().map(|(_, language, _)| *language).collect::<Vec<_>>())
        .bind(terms.iter().map(|(.., stem)| *stem).collect::<Vec<_>>())
        .fetch_all(&mut *connection)
        .await
        .map_err(translate)?;
    let new = mapped(&new, |row| row.string("term"))?;
    let rows: Vec<(String, i32, &str)> = new
        .iter()
        .flat_map(|term| {
            let length = i32::try_from(term.chars().count()).unwrap_or(i32::MAX);
            trigrams(term).into_iter().map(move |trigram| (trigram, length, term.as_str()))
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("search/insert_trigrams"))
        .bind(rows.iter().map(|(trigram, ..)| trigram.as_str()).collect::<Vec<_>>())
        .bind(rows.iter().map(|(_, length, _)| *length).collect::<Vec<_>>())
        .bind(rows.iter().map(|(.., term)| *term).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

/// All chunks of a document.
pub(crate) const ALL_CHUNKS: RangeInclusive<i32> = 0..=LAST;

/// The words of the vocabulary that these chunks of documents have.
pub(crate) async fn vocabulary_of(
    connection: &mut PgConnection,
    documents: Vec<Uuid>,
    positions: RangeInclusive<i32>,
) -> PortResult<BTreeSet<String>> {
    let rows = sqlx::query(sql!("search/words_of"))
        .bind(documents)
        .bind(positions.start())
        .bind(positions.end())
        .fetch_all(connection)
        .await
        .map_err(translate)?;
    let texts = mapped(&rows, |row| row.string("text"))?;
    let words = texts.iter().flat_map(|text| tokenize(text));
    Ok(words.filter(|word| is_vocabulary_word(word)).collect())
}

/// Removes those of the words that no document has any more. A transaction forgets before it adds words, because two that have added
/// some would wait for each other.
pub(crate) async fn forget(connection: &mut PgConnection, words: BTreeSet<String>) -> PortResult<()> {
    if words.is_empty() {
        return Ok(());
    }
    let queries: Vec<String> =
        words.iter().map(|word| term_of_tsquery(&[Term::Word(word.clone())])).collect();
    let words: Vec<String> = words.into_iter().collect();
    // Most words are still in other documents. Nobody has to wait for that to be seen.
    let has_unused: bool = sqlx::query_scalar(sql!("search/has_unused"))
        .bind(&words)
        .bind(&queries)
        .fetch_one(&mut *connection)
        .await
        .map_err(translate)?;
    if !has_unused {
        return Ok(());
    }
    sqlx::query(sql!("search/lock_vocabulary")).execute(&mut *connection).await.map_err(translate)?;
    let forgotten = sqlx::query(sql!("search/forget"))
        .bind(words)
        .bind(queries)
        .fetch_all(&mut *connection)
        .await
        .map_err(translate)?;
    let forgotten = mapped(&forgotten, |row| row.string("term"))?;
    if forgotten.is_empty() {
        return Ok(());
    }
    sqlx::query(sql!("search/delete_trigrams"))
        .bind(forgotten)
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

fn ids(documents: &[DocumentId]) -> Vec<Uuid> {
    documents.iter().map(|document| document.0).collect()
}
