//! Writes the entries of documents in the search index.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;

use quire_domain::{DocumentId, Run, RunId};
use quire_ports::{IndexedText, NAME_CHUNK, PortResult, VALUES_CHUNK};
use quire_sql::json_text;
use quire_sql::search::{IndexEntry, term_of_fts5, text_chunks};
use quire_understanding::search::{
    Term, bands, encode_signature, is_vocabulary_word, tokenize, trigrams, values_text,
};
use rusqlite::{Connection, params};

use crate::queue::row_limit;
use crate::row::{all, execute, first, scalar};
use crate::sql;
use crate::vectors::encode;

/// The last position that a chunk can have.
const LAST: u32 = 65_535;

/// Documents that get their words in one transaction.
const WITHOUT_WORDS: u32 = 200;

/// Adds a document to the index by its file name, unless it is there.
pub(crate) fn add(connection: &Connection, document: DocumentId) -> PortResult<()> {
    match numbered(connection, document)? {
        Some(number) => write_words(connection, number, None),
        None => Ok(()),
    }
}

/// The number of a document, which is added by its file name if it has none. None if there is no such document.
fn numbered(connection: &Connection, document: DocumentId) -> PortResult<Option<i64>> {
    let id = [document.0.as_bytes()];
    let number = |row: &dyn quire_sql::ColumnReader| row.integer::<i64>("number");
    if let Some(number) = first(connection, sql!("search/number_of"), id, number)? {
        return Ok(Some(number));
    }
    let Some(number) = first(connection, sql!("search/insert_document"), id, number)? else {
        return Ok(None);
    };
    let name: String = scalar(connection, sql!("search/name_of"), id)?;
    insert(connection, number, &IndexEntry::of_name(&name))?;
    Ok(Some(number))
}

/// Replaces the entry of a document by that of a run that completes. Without a text, its values alone are found.
pub(crate) fn complete(connection: &Connection, run: &Run, text: Option<&IndexedText>) -> PortResult<()> {
    replace(connection, DocumentId(run.subject.0), Some(run.id), text)
}

/// Replaces the entry of a document.
pub(crate) fn replace(
    connection: &Connection,
    document: DocumentId,
    run: Option<RunId>,
    text: Option<&IndexedText>,
) -> PortResult<()> {
    let Some(number) = numbered(connection, document)? else { return Ok(()) };
    let mut former = vocabulary_of(connection, document.0.as_bytes(), VALUES_CHUNK..=LAST)?;
    let language = text.and_then(|text| text.language.as_deref());
    execute(connection, sql!("search/delete_chunks"), params![number, VALUES_CHUNK, LAST])?;
    let run = run.map(|run| run.0.into_bytes());
    let model = text.and_then(|text| text.model.as_deref());
    let signature = text.map(|text| encode_signature(&text.signature));
    let values = params![number, run, text.is_some(), language, model, signature];
    execute(connection, sql!("search/set_run"), values)?;
    execute(connection, sql!("search/delete_bands"), [number])?;
    let bands = text.map(|text| bands(&text.signature)).unwrap_or_default();
    execute(connection, sql!("search/insert_bands"), params![json_text(&bands)?, number])?;
    let embedding = text.and_then(|text| text.embedding.as_deref()).map(encode);
    execute(connection, sql!("search/set_embedding"), params![document.0.as_bytes(), embedding, model])?;
    remove_known(&mut former, &insert_values(connection, number, document, language)?);
    let entry = text.map(text_chunks).unwrap_or_default();
    insert(connection, number, &entry)?;
    remove_known(&mut former, &entry);
    write_words(connection, number, Some(&entry))?;
    forget(connection, former)
}

/// Replaces the values of a document, after an edit of the run that is indexed.
pub(crate) fn refresh_values(connection: &Connection, document: DocumentId) -> PortResult<()> {
    let Some(number) = numbered(connection, document)? else { return Ok(()) };
    let mut former = vocabulary_of(connection, document.0.as_bytes(), VALUES_CHUNK..=VALUES_CHUNK)?;
    let language: Option<String> = scalar(connection, sql!("search/language_of"), [number])?;
    execute(connection, sql!("search/delete_chunks"), params![number, VALUES_CHUNK, VALUES_CHUNK])?;
    remove_known(&mut former, &insert_values(connection, number, document, language.as_deref())?);
    write_words(connection, number, None)?;
    forget(connection, former)
}

/// Writes the words of a whole document, which are those of its chunks. If its text has just been cut into chunks, their words are known,
/// and only the others are read.
fn write_words(connection: &Connection, number: i64, text: Option<&IndexEntry>) -> PortResult<()> {
    let last = if text.is_some() { VALUES_CHUNK } else { LAST };
    let texts = all(connection, sql!("search/texts_of"), [number, last.into()], |row| row.string("text"))?;
    let read: Vec<String> = texts.iter().flat_map(|text| tokenize(text)).collect();
    let known = text.iter().flat_map(|text| &text.chunks).flat_map(|chunk| chunk.words.split(' '));
    let mut words: Vec<&str> = read.iter().map(String::as_str).chain(known).collect();
    words.sort_unstable();
    words.dedup();
    execute(connection, sql!("search/set_words"), params![number, words.join(" ")])?;
    execute(connection, sql!("search/set_has_words"), [number])?;
    Ok(())
}

/// Writes the words of some documents that a program has indexed which does not know the words of whole documents. Returns whether
/// there may be more.
pub(crate) fn write_missing_words(connection: &Connection) -> PortResult<bool> {
    let missing =
        all(connection, sql!("search/without_words"), [WITHOUT_WORDS], |row| row.integer("number"))?;
    for number in &missing {
        write_words(connection, *number, None)?;
    }
    Ok(!missing.is_empty())
}

/// Leaves the words that are not in this entry.
fn remove_known(former: &mut HashSet<String>, entry: &IndexEntry) {
    for term in &entry.terms {
        former.remove(&term.term);
    }
}

fn insert_values(
    connection: &Connection,
    number: i64,
    document: DocumentId,
    language: Option<&str>,
) -> PortResult<IndexEntry> {
    let values = all(connection, sql!("search/values_of"), [document.0.as_bytes()], |row| {
        Ok((row.string("value")?, row.optional_string("date_value")?))
    })?;
    let values = values_text(values.iter().map(|(value, date)| (value.as_str(), date.as_deref())));
    let entry = IndexEntry::of_values(values, language);
    insert(connection, number, &entry)?;
    Ok(entry)
}

fn insert(connection: &Connection, number: i64, entry: &IndexEntry) -> PortResult<()> {
    for chunk in &entry.chunks {
        let values = params![number, chunk.position, chunk.page, chunk.text, chunk.boxes];
        execute(connection, sql!("search/insert_chunk"), values)?;
        let values = params![number, chunk.position, chunk.words];
        execute(connection, sql!("search/insert_words"), values)?;
        if let (Some(vector), Some(model)) = (&chunk.vector, &entry.model) {
            let values = params![number, chunk.position, model, encode(vector)];
            execute(connection, sql!("search/insert_vector"), values)?;
        }
    }
    if entry.terms.is_empty() {
        return Ok(());
    }
    let stems: BTreeMap<&str, &str> =
        entry.terms.iter().map(|term| (term.term.as_str(), term.stem.as_str())).collect();
    let values = params![json_text(&stems)?, entry.language];
    for term in all(connection, sql!("search/insert_terms"), values, |row| row.string("term"))? {
        let values = params![json_text(&trigrams(&term))?, row_limit(term.chars().count()), term];
        execute(connection, sql!("search/insert_trigrams"), values)?;
    }
    Ok(())
}

/// All chunks of a document.
pub(crate) const ALL_CHUNKS: RangeInclusive<u32> = NAME_CHUNK..=LAST;

/// The words of the vocabulary that these chunks of a document have.
pub(crate) fn vocabulary_of(
    connection: &Connection,
    document: &[u8; 16],
    positions: RangeInclusive<u32>,
) -> PortResult<HashSet<String>> {
    let values = params![document, positions.start(), positions.end()];
    let texts = all(connection, sql!("search/words_of"), values, |row| row.string("text"))?;
    let words = texts.iter().flat_map(|text| tokenize(text));
    Ok(words.filter(|word| is_vocabulary_word(word)).collect())
}

/// Removes those of the words that no document has any more.
pub(crate) fn forget(connection: &Connection, words: HashSet<String>) -> PortResult<()> {
    for word in words {
        let query = term_of_fts5(&[Term::Word(word.clone())]);
        if !scalar::<bool>(connection, sql!("search/has_word"), [query])? {
            execute(connection, sql!("search/delete_term"), [&word])?;
            execute(connection, sql!("search/delete_trigrams"), [&word])?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "search_entry_tests.rs"]
mod tests;
