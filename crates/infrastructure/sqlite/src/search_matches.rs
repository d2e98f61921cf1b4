//! Which documents have the words of a query, and how well they fit.
//!
//! The index of whole documents tells which of them have all words, wherever these stand; phrases are confirmed in the chunks. Of each
//! word a limited number of chunks is read, those of the newest documents. They tell how rare the word is and which chunks are
//! promising; the most promising ones are rated by their texts. So the work is bounded, however frequent the words are.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashSet;

use quire_domain::hex;
use quire_ports::{FindQuery, FoundDocuments, FoundOrder, PortResult, TextQuery, importance_of_chunk};
use quire_sql::json_text;
use quire_sql::search::{all_in_document_of_fts5, any_in_document_of_fts5, has_phrase, term_of_fts5};
use quire_understanding::search::{FittingChunk, Term, rarity};
use rusqlite::{Connection, Params, params};

use crate::error::translate;
use crate::queue::row_limit;
use crate::row::{all, scalar};
use crate::sql;

/// Documents that are counted.
const MAX_DOCUMENTS: usize = FoundDocuments::MAX_COUNT as usize;
/// Chunks that are read for all words of a query together.
pub(crate) const MAX_ROWS: usize = 20_000;
/// Chunks that are read for one word.
const ROWS_OF_TERM: (usize, usize) = (1_000, 4_000);
/// Chunks that are read for a phrase.
const ROWS_OF_PHRASE: usize = 10_000;
/// Documents that are read to leave out others, or to look among given ones.
const MAX_SCANNED: usize = 100_000;
/// Documents in which a phrase is looked up one by one.
const MAX_LOOKUPS: usize = 1_000;
/// If there are at most so many documents, a phrase is looked up in each of them. Each lookup opens the lists of all its words again, which
/// takes as long as walking many chunks: in 40 documents, 50 words that all of them have took 20 times as long as a usual search.
const FEW: usize = 10;
/// Chunks of a document that a lookup returns.
const ROWS_OF_LOOKUP: usize = 8;
/// Documents among whose chunks those are looked for that have all words, if all are frequent.
const MAX_TOGETHER: usize = 1_000;
/// Words that stand for a beginning among chunks: FTS5 merges the chunks of all words that begin so before it returns the first one.
const WORDS_OF_PREFIX: usize = 24;
/// Chunks whose texts are rated.
pub(crate) const MAX_RATED: usize = 300;
/// What a chunk counts that is not rated. It has fewer words of the query than those that are.
const UNRATED: f64 = 0.2;
/// The newest documents by whose chunks those of all are estimated.
const SAMPLED: i64 = 200;

/// A document that has the words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Match {
    /// Its number in the index.
    pub(crate) number: i64,
    /// Its chunk that fits best. None if it is not known.
    pub(crate) position: Option<u32>,
    /// How well it fits.
    pub(crate) score: f64,
}

/// The documents that have the words of a query, and what it took to find them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matches {
    /// The documents, best first.
    pub(crate) documents: Vec<Match>,
    /// Whether there may be more.
    pub(crate) is_cut_short: bool,
    /// Chunks that were read.
    pub(crate) rows: usize,
    /// Documents in which a phrase was looked up.
    pub(crate) lookups: usize,
    /// Chunks that were rated by their texts.
    pub(crate) rated: usize,
}

/// Numbers of documents or chunks, the newest first.
type Newest = Vec<i64>;

/// The chunks that have a term.
struct TermChunks {
    rows: Newest,
    /// Whether these are all.
    is_complete: bool,
}

/// Finds the documents that have the words of a query, which has some.
pub(crate) fn matches(connection: &Connection, query: &FindQuery) -> PortResult<Matches> {
    let text = &query.text;
    let search = Search {
        connection,
        most: (MAX_ROWS / text.terms.len().max(1)).clamp(ROWS_OF_TERM.0, ROWS_OF_TERM.1),
        lookups: Cell::new(MAX_LOOKUPS),
        is_cut_short: Cell::new(false),
    };
    let among = among(connection, query)?;
    let (candidates, terms) =
        if text.any { search.with_any(text, among)? } else { search.with_all(text, among)? };
    let candidates = search.without_phrases(candidates, &text.excluded)?;
    let weights = weights(connection, &terms)?;
    let is_rated = query.order == FoundOrder::Best;
    let together =
        if is_rated && !text.any { search.together(&text.terms, &terms, &candidates)? } else { Vec::new() };
    let mut found = Matches {
        is_cut_short: search.is_cut_short.get(),
        rows: terms.iter().map(|term| term.rows.len()).sum(),
        lookups: MAX_LOOKUPS - search.lookups.get(),
        ..Matches::default()
    };
    let mut promising = promising(&terms, &weights, &together, &candidates);
    found.documents = with_best_chunks(&candidates, &promising);
    if is_rated {
        keep_best(&mut promising, MAX_RATED);
        found.rated = rate(connection, text, &weights, &promising, &mut found.documents)?;
    }
    found
        .documents
        .sort_by(|one, other| other.score.total_cmp(&one.score).then(other.number.cmp(&one.number)));
    Ok(found)
}

/// What a query may still cost.
struct Search<'c> {
    connection: &'c Connection,
    /// Chunks that are read for one word.
    most: usize,
    lookups: Cell<usize>,
    is_cut_short: Cell<bool>,
}

impl Search<'_> {
    /// The documents that have all terms and, as far as single words tell, nothing that is excluded; and the chunks of each term.
    fn with_all(&self, text: &TextQuery, among: Option<Newest>) -> PortResult<(Newest, Vec<TermChunks>)> {
        let words = all_in_document_of_fts5(&text.terms, &text.excluded);
        let most = if among.is_some() { MAX_SCANNED } else { MAX_DOCUMENTS };
        let (mut candidates, is_complete) = self.documents_with(&words, among.as_deref(), most)?;
        self.cut_short_unless(is_complete);
        if let Some(among) = among {
            let among: HashSet<i64> = among.into_iter().collect();
            candidates.retain(|number| among.contains(number));
        }
        let mut terms = Vec::with_capacity(text.terms.len());
        for term in &text.terms {
            if has_phrase(term) {
                let chunks = self.chunks_of_phrase(term, &candidates)?;
                candidates = self.kept(candidates, &chunks, term, true)?;
                terms.push(chunks);
            } else {
                terms.push(self.chunks_of(term, self.most)?);
            }
        }
        Ok((candidates, terms))
    }

    /// The documents that have one of the terms and, as far as single words tell, nothing that is excluded; and the chunks of each
    /// term. Those of a rare term are all known.
    fn with_any(&self, text: &TextQuery, among: Option<Newest>) -> PortResult<(Newest, Vec<TermChunks>)> {
        let mut terms = Vec::with_capacity(text.terms.len());
        for term in &text.terms {
            terms.push(self.chunks_of(term, self.most)?);
        }
        self.cut_short_unless(terms.iter().all(|term| term.is_complete));
        let mut candidates: Newest = Vec::new();
        for term in &terms {
            candidates.extend(documents_of(&term.rows));
        }
        // Each part is in order already, which a stable sort makes use of.
        candidates.sort_by_key(|number| Reverse(*number));
        candidates.dedup();
        if let Some(among) = among {
            let among: HashSet<i64> = among.into_iter().collect();
            candidates.retain(|number| among.contains(number));
        }
        let excluded = any_in_document_of_fts5(text.excluded.iter().filter(|term| !has_phrase(term)));
        if !excluded.is_empty() && !candidates.is_empty() {
            let (excluded, is_complete) = self.documents_with(&excluded, Some(&candidates), MAX_SCANNED)?;
            self.cut_short_unless(is_complete);
            // What was not looked at might have an excluded word.
            let oldest = excluded.last().copied().filter(|_| !is_complete).unwrap_or(i64::MIN);
            let excluded: HashSet<i64> = excluded.into_iter().collect();
            candidates.retain(|number| *number > oldest && !excluded.contains(number));
        }
        Ok((candidates, terms))
    }

    /// Leaves out the documents that have one of the phrases among these terms.
    fn without_phrases(&self, mut candidates: Newest, excluded: &[Vec<Term>]) -> PortResult<Newest> {
        for term in excluded.iter().filter(|term| has_phrase(term)) {
            let chunks = self.chunks_of_phrase(term, &candidates)?;
            candidates = self.kept(candidates, &chunks, term, false)?;
        }
        Ok(candidates)
    }

    /// The newest documents with these words, and whether these are all. If documents to look among are given, those between the first
    /// and the last of them.
    fn documents_with(&self, words: &str, among: Option<&[i64]>, most: usize) -> PortResult<(Newest, bool)> {
        let (first, last) = match among {
            Some([newest, .., oldest]) => (*oldest, *newest),
            Some([only]) => (*only, *only),
            Some([]) => return Ok((Vec::new(), true)),
            None => (0, i64::MAX),
        };
        let values = params![words, first, last, row_limit(most + 1)];
        let mut found = numbers(self.connection, sql!("search/documents_with"), values)?;
        let is_complete = found.len() <= most;
        found.truncate(most);
        Ok((found, is_complete))
    }

    /// The newest chunks with a term.
    fn chunks_of(&self, term: &[Term], most: usize) -> PortResult<TermChunks> {
        let (words, is_whole) = words_of(self.connection, term)?;
        let values = params![words, row_limit(most + 1)];
        let mut rows = numbers(self.connection, sql!("search/matches"), values)?;
        let is_complete = is_whole && rows.len() <= most;
        rows.truncate(most);
        Ok(TermChunks { rows, is_complete })
    }

    /// The chunks with a phrase that matter for these documents.
    fn chunks_of_phrase(&self, term: &[Term], candidates: &[i64]) -> PortResult<TermChunks> {
        if candidates.len() > FEW {
            return self.chunks_of(term, ROWS_OF_PHRASE);
        }
        let words = term_of_fts5(term);
        let mut rows = Vec::new();
        for number in candidates {
            rows.extend(self.rows_in(&words, *number)?.unwrap_or_default());
        }
        Ok(TermChunks { rows, is_complete: true })
    }

    /// The chunks of a document that match. None if no lookup is left.
    fn rows_in(&self, words: &str, number: i64) -> PortResult<Option<Newest>> {
        if self.lookups.get() == 0 {
            self.is_cut_short.set(true);
            return Ok(None);
        }
        self.lookups.set(self.lookups.get() - 1);
        let values = params![words, number, row_limit(ROWS_OF_LOOKUP)];
        numbers(self.connection, sql!("search/matches_in"), values).map(Some)
    }

    /// Those of the documents that have a term, or that do not have it. A document that is older than the chunks that were read is
    /// looked at by itself; if that is too much, it is left out.
    fn kept(
        &self,
        candidates: Newest,
        chunks: &TermChunks,
        term: &[Term],
        having: bool,
    ) -> PortResult<Newest> {
        let known: HashSet<i64> = documents_of(&chunks.rows).collect();
        let oldest = chunks.rows.last().filter(|_| !chunks.is_complete).map_or(i64::MIN, |row| row >> 16);
        let words = term_of_fts5(term);
        let mut kept = Vec::with_capacity(candidates.len());
        for number in candidates {
            let has_it = if number >= oldest {
                Some(known.contains(&number))
            } else {
                self.rows_in(&words, number)?.map(|rows| !rows.is_empty())
            };
            if has_it == Some(having) {
                kept.push(number);
            }
        }
        Ok(kept)
    }

    /// The newest chunks that have all terms, if what was read of each does not tell. If all terms are frequent, those of the newest
    /// documents: hardly a chunk may have them all.
    fn together(&self, terms: &[Vec<Term>], chunks: &[TermChunks], candidates: &[i64]) -> PortResult<Newest> {
        if terms.len() < 2 || chunks.iter().all(|term| term.is_complete) {
            return Ok(Vec::new());
        }
        let is_rare = chunks.iter().any(|term| term.is_complete);
        let oldest = candidates.get(MAX_TOGETHER).filter(|_| !is_rare).or(candidates.last());
        let mut all = Vec::with_capacity(terms.len());
        for term in terms {
            all.push(words_of(self.connection, term)?.0);
        }
        all.sort_unstable();
        all.dedup();
        let values = params![all.join(" AND "), oldest, row_limit(MAX_RATED)];
        numbers(self.connection, sql!("search/matches_from"), values)
    }

    fn cut_short_unless(&self, is_complete: bool) {
        self.is_cut_short.set(self.is_cut_short.get() || !is_complete);
    }
}

/// The first column of all rows.
fn numbers(connection: &Connection, query: &str, values: impl Params) -> PortResult<Vec<i64>> {
    let mut statement = connection.prepare_cached(query).map_err(translate)?;
    let numbers = statement.query_map(values, |row| row.get(0)).map_err(translate)?;
    numbers.collect::<Result<_, _>>().map_err(translate)
}

/// The documents of chunks, each as often as chunks of it follow each other.
fn documents_of(rows: &[i64]) -> impl Iterator<Item = i64> {
    rows.chunk_by(|one, next| one >> 16 == next >> 16).filter_map(|rows| rows.first()).map(|row| row >> 16)
}

/// A term as FTS5 is asked for it among chunks, and whether that is the whole term: of a beginning that very many words have, some stand
/// for it.
fn words_of(connection: &Connection, term: &[Term]) -> PortResult<(String, bool)> {
    let (mut alternatives, mut is_whole) = (Vec::with_capacity(term.len()), true);
    for one in term {
        let Term::Prefix(beginning) = one else {
            alternatives.push(one.clone());
            continue;
        };
        let values = params![beginning, row_limit(WORDS_OF_PREFIX + 1)];
        let words = all(connection, sql!("search/beginning_with"), values, |row| row.string("term"))?;
        if words.len() <= WORDS_OF_PREFIX {
            alternatives.push(one.clone());
        } else {
            is_whole = false;
            alternatives.extend(words.into_iter().take(WORDS_OF_PREFIX).map(Term::Word));
        }
    }
    Ok((term_of_fts5(&alternatives), is_whole))
}

/// The numbers of the documents to look among, if they are given.
fn among(connection: &Connection, query: &FindQuery) -> PortResult<Option<Newest>> {
    let Some(among) = &query.among else { return Ok(None) };
    let ids: Vec<String> = among.iter().map(|document| hex(document.0.as_bytes())).collect();
    let mut found = numbers(connection, sql!("search/numbers_of"), [json_text(&ids)?])?;
    found.sort_unstable_by(|one, other| other.cmp(one));
    Ok(Some(found))
}

/// How much each term counts: a word in few chunks says more. The chunks of all documents, and those of a word that has too many to
/// read, are estimated from the newest documents.
#[allow(clippy::cast_precision_loss)] // Numbers of chunks.
fn weights(connection: &Connection, terms: &[TermChunks]) -> PortResult<Vec<f64>> {
    let largest: i64 = scalar(connection, sql!("search/largest_number"), [])?;
    let sampled: i64 = scalar(connection, sql!("search/count_from"), [largest - SAMPLED])?;
    let share = |documents: i64| largest as f64 / documents.clamp(1, largest.max(1)) as f64;
    let all = sampled as f64 * share(SAMPLED);
    let having = |term: &TermChunks| {
        let oldest = term.rows.last().filter(|_| !term.is_complete).map_or(1, |row| row >> 16);
        term.rows.len() as f64 * share(largest - oldest + 1)
    };
    Ok(terms.iter().map(|term| rarity(having(term), all.max(1.0))).collect())
}

/// A chunk and the weight of the words that it is known to have.
type Promising = (f64, i64);

/// The chunks of these documents with the weight of the words that they are known to have, the newest first.
fn promising(terms: &[TermChunks], weights: &[f64], together: &[i64], candidates: &[i64]) -> Vec<Promising> {
    let mut chunks: Vec<(i64, f64)> = Vec::new();
    for (term, weight) in terms.iter().zip(weights) {
        chunks.extend(rows_among(&term.rows, candidates).map(|row| (row, *weight)));
    }
    chunks.extend(rows_among(together, candidates).map(|row| (row, f64::INFINITY)));
    // Each part is in order already, which a stable sort makes use of.
    chunks.sort_by_key(|(row, _)| Reverse(*row));
    let most: f64 = weights.iter().sum();
    let of_chunk = |parts: &[(i64, f64)]| {
        let row = parts.first()?.0;
        let weight = parts.iter().map(|(_, weight)| weight).sum::<f64>().min(most);
        Some((weight * importance_of_chunk(position(row)), row))
    };
    chunks.chunk_by(|one, next| one.0 == next.0).filter_map(of_chunk).collect()
}

/// Those of the chunks that belong to these documents. Both are in order, the newest first.
fn rows_among(rows: &[i64], documents: &[i64]) -> impl Iterator<Item = i64> {
    let mut documents = documents.iter().copied().peekable();
    rows.iter().copied().filter(move |row| {
        let number = row >> 16;
        while documents.peek().is_some_and(|next| *next > number) {
            documents.next();
        }
        documents.peek() == Some(&number)
    })
}

/// The position of a chunk in its document.
fn position(row: i64) -> u32 {
    u32::try_from(row & 0xFFFF).unwrap_or_default()
}

/// The documents, each with its best chunk before any is rated. All are in order, the newest first.
fn with_best_chunks(candidates: &[i64], promising: &[Promising]) -> Vec<Match> {
    let mut of_documents = promising.chunk_by(|one, next| one.1 >> 16 == next.1 >> 16).peekable();
    let with_best = |number: &i64| {
        let chunks =
            of_documents.next_if(|chunks| chunks.first().is_some_and(|(_, row)| row >> 16 == *number));
        let better = |best: Promising, next: Promising| if next.0 > best.0 { next } else { best };
        match chunks.and_then(|chunks| chunks.iter().copied().reduce(better)) {
            Some((weight, row)) => {
                Match { number: *number, position: Some(position(row)), score: weight * UNRATED }
            }
            None => Match { number: *number, position: None, score: 0.0 },
        }
    };
    candidates.iter().map(with_best).collect()
}

/// Leaves the most promising chunks.
fn keep_best(promising: &mut Vec<Promising>, most: usize) {
    if promising.len() > most {
        promising
            .select_nth_unstable_by(most, |one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        promising.truncate(most);
    }
}

/// Rates the promising chunks by their texts, and the first chunks of documents of which no chunk is known. Returns how many these are.
fn rate(
    connection: &Connection,
    text: &TextQuery,
    weights: &[f64],
    promising: &[Promising],
    documents: &mut [Match],
) -> PortResult<usize> {
    let chunk = |row: &dyn quire_sql::ColumnReader| {
        let (id, text) = (row.integer::<i64>("id")?, row.string("text")?);
        let position = position(id);
        let importance = importance_of_chunk(position);
        Ok(FittingChunk { document: id >> 16, position, importance, text })
    };
    let rows: Vec<i64> = promising.iter().map(|(_, row)| *row).collect();
    let mut chunks = all(connection, sql!("search/chunk_texts"), [json_text(&rows)?], chunk)?;
    for document in documents.iter().filter(|document| document.position.is_none()) {
        if chunks.len() >= MAX_RATED {
            break;
        }
        let values = params![document.number, row_limit(MAX_RATED - chunks.len())];
        chunks.extend(all(connection, sql!("search/first_texts"), values, chunk)?);
    }
    for (number, fit) in quire_understanding::search::rate(&text.terms, weights, &chunks) {
        let place = documents.binary_search_by(|document| number.cmp(&document.number));
        if let Some(document) = place.ok().and_then(|place| documents.get_mut(place))
            && (document.position.is_some() || fit.score > 0.0)
        {
            (document.score, document.position) = (fit.score, Some(fit.position));
        }
    }
    Ok(chunks.len())
}

#[cfg(test)]
#[path = "search_matches_tests.rs"]
mod tests;
