//! Which documents have the words of a query, and how well they fit.
//!
//! The work is bounded. Of each word a limited number of chunks is read, those of the newest documents. A word that fewer chunks have is
//! thus known completely, and the rarest word of a query decides which documents are looked at; a word that more chunks have
//! is looked up in each of these. The most promising chunks are rated by their texts.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use quire_domain::hex;
use quire_ports::{FindQuery, FoundOrder, PortResult, TextQuery, importance_of_chunk};
use quire_sql::json_text;
use quire_sql::search::term_of_fts5;
use quire_understanding::search::{FittingChunk, Term, rarity};
use rusqlite::{Connection, params};

use crate::queue::row_limit;
use crate::row::{all, first, scalar};
use crate::sql;

/// Chunks that are read for all words of a query together.
pub(crate) const MAX_ROWS: usize = 60_000;
/// Chunks that are read for one word.
const ROWS_OF_TERM: (usize, usize) = (1_500, 30_000);
/// Documents in which a frequent word is looked up.
const MAX_LOOKUPS: usize = 1_000;
/// As many lookups as one of a beginning costs: the index merges all words that begin so each time.
const LOOKUPS_OF_PREFIX: usize = 50;
/// Words that a beginning stands for at most: FTS5 merges the chunks of all words that begin so before it returns the first one.
const WORDS_OF_PREFIX: usize = 64;
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
    /// Documents in which a frequent word was looked up.
    pub(crate) lookups: usize,
    /// Chunks that were rated by their texts.
    pub(crate) rated: usize,
}

/// The chunks that have a term.
struct TermMatches<'t> {
    term: &'t [Term],
    /// The term as FTS5 is asked for it.
    words: String,
    /// Their ids, those of the newest documents first.
    rows: Vec<i64>,
    documents: HashSet<i64>,
    /// Whether these are all.
    is_complete: bool,
}

/// Finds the documents that have the words of a query, which has some.
pub(crate) fn matches(connection: &Connection, query: &FindQuery) -> PortResult<Matches> {
    let text = &query.text;
    let count = (text.terms.len() + text.excluded.len()).max(1);
    let most = (MAX_ROWS / count).clamp(ROWS_OF_TERM.0, ROWS_OF_TERM.1);
    let terms = TermMatches::read_all(connection, &text.terms, most)?;
    let excluded = TermMatches::read_all(connection, &text.excluded, most)?;
    let mut found = Matches {
        rows: terms.iter().chain(&excluded).map(|term| term.rows.len()).sum(),
        ..Matches::default()
    };
    let lookups = Lookups { connection, left: Cell::new(MAX_LOOKUPS), is_used_up: Cell::new(false) };
    let among = among(connection, query)?;
    let mut candidates = if text.any {
        found.is_cut_short = terms.iter().any(|term| !term.is_complete);
        with_any(&terms, among)
    } else {
        // The rarest word first: it leaves the fewest documents to look at.
        let mut order: Vec<&TermMatches<'_>> = terms.iter().collect();
        order.sort_by_key(|term| (!term.is_complete, term.rows.len()));
        found.is_cut_short = among.is_none() && order.first().is_some_and(|rarest| !rarest.is_complete);
        with_all(&order, among, &lookups)?
    };
    for term in &excluded {
        candidates = kept(candidates, |number| {
            let has_it =
                term.documents.contains(&number) || (!term.is_complete && lookups.has(term, number, true)?);
            Ok(!has_it)
        })?;
    }
    found.is_cut_short |= lookups.is_used_up.get();
    found.lookups = MAX_LOOKUPS - lookups.left.get();
    let weights = weights(connection, &terms)?;
    let promising = promising(&terms, &weights, &candidates);
    let mut best = best_chunks(&promising);
    if query.order == FoundOrder::Best {
        found.rated = rate(connection, text, &weights, promising, &mut best)?;
    }
    found.documents = candidates
        .into_iter()
        .map(|number| match best.get(&number) {
            Some((score, position)) => Match { number, position: Some(*position), score: *score },
            None => Match { number, position: None, score: 0.0 },
        })
        .collect();
    found
        .documents
        .sort_by(|one, other| other.score.total_cmp(&one.score).then(other.number.cmp(&one.number)));
    Ok(found)
}

impl<'t> TermMatches<'t> {
    fn read_all(connection: &Connection, terms: &'t [Vec<Term>], most: usize) -> PortResult<Vec<Self>> {
        terms.iter().map(|term| Self::read(connection, term, most)).collect()
    }

    fn read(connection: &Connection, term: &'t [Term], most: usize) -> PortResult<Self> {
        let (words, is_whole) = words_of(connection, term)?;
        let values = params![words, row_limit(most + 1)];
        let mut rows = all(connection, sql!("search/matches"), values, |row| row.integer::<i64>("rowid"))?;
        let is_complete = is_whole && rows.len() <= most;
        rows.truncate(most);
        let documents = rows.iter().map(|row| row >> 16).collect();
        Ok(Self { term, words, rows, documents, is_complete })
    }
}

/// A term as FTS5 is asked for it, and whether that is the whole term: of a beginning that very many words have, some stand for it.
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

/// Looks words up in single documents, not too often.
struct Lookups<'c> {
    connection: &'c Connection,
    left: Cell<usize>,
    is_used_up: Cell<bool>,
}

impl Lookups<'_> {
    /// Whether a document has a term, or `otherwise` if no lookup is left.
    fn has(&self, term: &TermMatches<'_>, number: i64, otherwise: bool) -> PortResult<bool> {
        let cost = if term.term.iter().any(Term::is_open) { LOOKUPS_OF_PREFIX } else { 1 };
        if self.left.get() < cost {
            self.is_used_up.set(true);
            return Ok(otherwise);
        }
        self.left.set(self.left.get() - cost);
        scalar(self.connection, sql!("search/matches_in"), params![term.words, number])
    }
}

fn kept(numbers: Vec<i64>, mut keep: impl FnMut(i64) -> PortResult<bool>) -> PortResult<Vec<i64>> {
    let mut kept = Vec::with_capacity(numbers.len());
    for number in numbers {
        if keep(number)? {
            kept.push(number);
        }
    }
    Ok(kept)
}

/// The numbers of the documents to look among, if they are given.
fn among(connection: &Connection, query: &FindQuery) -> PortResult<Option<Vec<i64>>> {
    let Some(among) = &query.among else { return Ok(None) };
    let ids: Vec<String> = among.iter().map(|document| hex(document.0.as_bytes())).collect();
    let numbers = all(connection, sql!("search/numbers_of"), [json_text(&ids)?], |row| row.integer("number"));
    numbers.map(Some)
}

fn newest_first(numbers: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut numbers: Vec<i64> = numbers.collect();
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    numbers
}

fn with_any(terms: &[TermMatches<'_>], among: Option<Vec<i64>>) -> Vec<i64> {
    let has_one = |number: &i64| terms.iter().any(|term| term.documents.contains(number));
    if let Some(among) = among {
        return among.into_iter().filter(has_one).collect();
    }
    let all: HashSet<i64> = terms.iter().flat_map(|term| &term.documents).copied().collect();
    newest_first(all.into_iter())
}

fn with_all(
    terms: &[&TermMatches<'_>],
    among: Option<Vec<i64>>,
    lookups: &Lookups<'_>,
) -> PortResult<Vec<i64>> {
    let (mut candidates, others) = match (among, terms.split_first()) {
        (None, None) => return Ok(Vec::new()),
        (None, Some((rarest, others))) => (newest_first(rarest.documents.iter().copied()), others),
        (Some(among), _) => (among, terms),
    };
    for term in others {
        candidates = kept(candidates, |number| {
            Ok(term.documents.contains(&number) || (!term.is_complete && lookups.has(term, number, false)?))
        })?;
    }
    Ok(candidates)
}

/// How much each term counts: a word in few chunks says more. The chunks of all documents, and those of a word that has too many to
/// read, are estimated from the newest documents.
#[allow(clippy::cast_precision_loss)] // Numbers of chunks.
fn weights(connection: &Connection, terms: &[TermMatches<'_>]) -> PortResult<Vec<f64>> {
    let largest: i64 = scalar(connection, sql!("search/largest_number"), [])?;
    let sampled: i64 = scalar(connection, sql!("search/count_from"), [largest - SAMPLED])?;
    let share = |documents: i64| largest as f64 / documents.clamp(1, largest.max(1)) as f64;
    let all = sampled as f64 * share(SAMPLED);
    let having = |term: &TermMatches<'_>| {
        let oldest = term.rows.last().filter(|_| !term.is_complete).map_or(1, |row| row >> 16);
        term.rows.len() as f64 * share(largest - oldest + 1)
    };
    Ok(terms.iter().map(|term| rarity(having(term), all.max(1.0))).collect())
}

/// The chunks of these documents with the weight of the words that they are known to have, most first.
fn promising(terms: &[TermMatches<'_>], weights: &[f64], candidates: &[i64]) -> Vec<(f64, i64)> {
    let candidates: HashSet<i64> = candidates.iter().copied().collect();
    let mut by_chunk: HashMap<i64, f64> = HashMap::new();
    for (term, weight) in terms.iter().zip(weights) {
        for row in term.rows.iter().filter(|row| candidates.contains(&(**row >> 16))) {
            *by_chunk.entry(*row).or_default() += weight;
        }
    }
    let mut chunks: Vec<(f64, i64)> = by_chunk
        .into_iter()
        .map(|(row, weight)| (weight * importance_of_chunk(position(row)), row))
        .collect();
    chunks.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    chunks
}

/// The position of a chunk in its document.
fn position(row: i64) -> u32 {
    u32::try_from(row & 0xFFFF).unwrap_or_default()
}

/// The best chunk of each document with its score, before any is rated.
fn best_chunks(promising: &[(f64, i64)]) -> HashMap<i64, (f64, u32)> {
    let mut best = HashMap::new();
    for (weight, row) in promising {
        best.entry(row >> 16).or_insert((weight * UNRATED, position(*row)));
    }
    best
}

/// Rates the most promising chunks by their texts. Returns how many these are.
fn rate(
    connection: &Connection,
    text: &TextQuery,
    weights: &[f64],
    mut promising: Vec<(f64, i64)>,
    best: &mut HashMap<i64, (f64, u32)>,
) -> PortResult<usize> {
    promising.truncate(MAX_RATED);
    let mut chunks = Vec::with_capacity(promising.len());
    for (_, row) in &promising {
        let text = first(connection, sql!("search/chunk_text"), [row], |row| row.string("text"))?;
        let position = position(*row);
        let importance = importance_of_chunk(position);
        chunks.extend(text.map(|text| FittingChunk { document: row >> 16, position, importance, text }));
    }
    let rated = quire_understanding::search::rate(&text.terms, weights, &chunks);
    best.extend(rated.into_iter().map(|(number, fit)| (number, (fit.score, fit.position))));
    Ok(promising.len())
}

#[cfg(test)]
#[path = "search_matches_tests.rs"]
mod tests;
