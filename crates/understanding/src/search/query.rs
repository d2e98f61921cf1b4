//! Reads a query: words, "phrases", prefix*, -not, and filters such as `key:value`.
//!
//! A text that is too long, demands too much or has a filter that cannot be read is refused ([`QueryError`]); every other text
//! is a query. Reading takes time in proportion to its length.

use std::collections::HashSet;

use super::filter::{Condition, Filter};
use super::stems::is_stop_word;
use super::words::tokenize;

/// The characters of the longest query.
pub const MAX_QUERY_CHARS: usize = 2_000;
/// The most words, phrases and filters of a query. Of a longer text, the words that say most are looked for.
pub const MAX_QUERY_TERMS: usize = 40;
/// The most words of a phrase.
pub const MAX_PHRASE_WORDS: usize = 50;
/// The most beginnings of a query. An index reads every word that begins so, whatever else the query demands.
pub const MAX_PREFIXES: usize = 8;
/// The bytes of the shortest beginning: three Latin letters, two Greek ones, one syllable of Hangul. A shorter one begins so many
/// words that it says nothing, and is taken for a whole word.
const MIN_PREFIX_BYTES: usize = 3;

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What a document must contain.
    pub terms: Vec<Term>,
    /// What it must not contain.
    pub excluded: Vec<Term>,
    /// What its fields and properties must be.
    pub filters: Vec<Filter>,
    /// The words and phrases that are asked for, as they were written: what a search by meaning compares.
    pub text: String,
}

/// A part of a query, in folded words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// One word. Other forms of it and slips are found too.
    Word(String),
    /// Words that begin so.
    Prefix(String),
    /// These words in this order.
    Phrase {
        /// The words; there is at least one.
        words: Vec<String>,
        /// Whether the last word is only a beginning.
        is_open: bool,
    },
}

/// Why a query is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It is longer than [`MAX_QUERY_CHARS`].
    #[error("must have at most {MAX_QUERY_CHARS} characters")]
    TooLong,
    /// It has more than [`MAX_QUERY_TERMS`] phrases, beginnings, exclusions and filters.
    #[error("must have at most {MAX_QUERY_TERMS} phrases, beginnings, exclusions and filters")]
    TooManyTerms,
    /// A phrase has more than [`MAX_PHRASE_WORDS`] words.
    #[error("must have at most {MAX_PHRASE_WORDS} words in a phrase")]
    LongPhrase,
    /// It has more than [`MAX_PREFIXES`] beginnings.
    #[error("must have at most {MAX_PREFIXES} beginnings of words, such as vacun*")]
    TooManyPrefixes,
    /// A filter that cannot be read.
    #[error("{key}: {problem}")]
    Filter {
        /// The key of the filter.
        key: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// Reads a query. `is_key` says which names before a colon are keys; `12:30` and `https://example.com` are words.
pub fn parse_query(text: &str, is_key: impl Fn(&str) -> bool) -> Result<Query, QueryError> {
    if text.chars().count() > MAX_QUERY_CHARS {
        return Err(QueryError::TooLong);
    }
    let mut query = Query::default();
    for item in items(text) {
        let (key, body) = match item.key {
            Some(key) if is_key(&key.to_lowercase()) => (Some(key.to_lowercase()), item.body.to_owned()),
            Some(key) => (None, format!("{key}:{}", item.body)),
            None => (None, item.body.to_owned()),
        };
        if let Some(key) = key {
            if body.is_empty() {
                return Err(QueryError::Filter { key, problem: "needs a value after the colon" });
            }
            let condition = Condition::parse(&body, item.is_quoted)
                .map_err(|problem| QueryError::Filter { key: key.clone(), problem })?;
            query.filters.push(Filter { key, condition, is_negated: item.is_negated });
        } else if let Some(term) = term(&body, item.is_quoted) {
            if item.is_negated {
                query.excluded.push(term);
            } else {
                if !query.text.is_empty() {
                    query.text.push(' ');
                }
                query.text.push_str(body.trim_end_matches('*'));
                match term {
                    // A sentence in a script without spaces is no phrase.
                    Term::Phrase { words, .. } if !item.is_quoted && words.len() > MAX_PHRASE_WORDS => {
                        query.terms.extend(words.into_iter().map(Term::Word));
                    }
                    term => query.terms.push(term),
                }
            }
        }
    }
    query.leave_out_words();
    if query.terms.len() + query.excluded.len() + query.filters.len() > MAX_QUERY_TERMS {
        return Err(QueryError::TooManyTerms);
    }
    let mut terms = query.terms.iter().chain(&query.excluded);
    if terms.any(|term| term.words().len() > MAX_PHRASE_WORDS) {
        return Err(QueryError::LongPhrase);
    }
    if query.terms.iter().chain(&query.excluded).filter(|term| term.is_open()).count() > MAX_PREFIXES {
        return Err(QueryError::TooManyPrefixes);
    }
    Ok(query)
}

impl Query {
    /// A query of words and phrases alone, each of which may be only a beginning. Further ones than allowed are left out. If
    /// there are many, the last ones are beginnings, because these may be unfinished, and the others are whole words.
    pub fn of_beginnings(text: &str) -> Self {
        let mut query = Self::default();
        let items: Vec<Item<'_>> = items(text).into_iter().take(MAX_QUERY_TERMS).collect();
        let whole = items.len().saturating_sub(MAX_PREFIXES);
        let is_unfinished = items.last().is_some_and(|last| !last.is_quoted && !last.is_negated);
        for (place, item) in items.into_iter().enumerate() {
            let body = item.key.map_or_else(|| item.body.to_owned(), |key| format!("{key}:{}", item.body));
            let Some(mut term) = term(&body, item.is_quoted) else { continue };
            term.shorten();
            match (item.is_quoted, place < whole) {
                (false, false) => term.leave_open(),
                (_, true) => term.close(),
                (true, false) => {}
            }
            if item.is_negated { query.excluded.push(term) } else { query.terms.push(term) }
        }
        if is_unfinished {
            query.leave_out_short_end();
        }
        query
    }

    /// Leaves out the last of several words if it is too short to be a beginning: a person has only begun to type it.
    fn leave_out_short_end(&mut self) {
        let is_short = |word: Option<&String>| word.is_some_and(|word| !can_be_prefix(word));
        match self.terms.as_mut_slice() {
            [.., _, Term::Word(last)] if is_short(Some(last)) => {
                self.terms.pop();
            }
            [.., Term::Phrase { words, .. }] if words.len() > 1 && is_short(words.last()) => {
                words.pop();
            }
            _ => {}
        }
    }

    /// Leaves out words of a text that is longer than a query: those that nearly every text has, repeated ones, then the last ones.
    fn leave_out_words(&mut self) {
        let others = self.excluded.len() + self.filters.len();
        if self.terms.len() + others <= MAX_QUERY_TERMS {
            return;
        }
        let is_word = |term: &Term| matches!(term, Term::Word(_));
        let demanded = self.terms.iter().filter(|term| !is_word(term)).count();
        let mut room = MAX_QUERY_TERMS.saturating_sub(others + demanded);
        let mut seen = HashSet::new();
        self.terms.retain(|term| {
            let Term::Word(word) = term else { return true };
            let is_kept = room > 0 && !is_stop_word(word) && seen.insert(word.clone());
            room -= usize::from(is_kept);
            is_kept
        });
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.excluded.is_empty() && self.filters.is_empty()
    }

    /// Lets the last word be only a beginning, for a person who is still typing.
    pub fn leave_open(&mut self) {
        self.leave_out_short_end();
        if let Some(last) = self.terms.last_mut() {
            last.leave_open();
        }
    }
}

impl Term {
    /// Its words, in order.
    pub fn words(&self) -> &[String] {
        match self {
            Self::Word(word) | Self::Prefix(word) => std::slice::from_ref(word),
            Self::Phrase { words, .. } => words,
        }
    }

    /// Whether its last word is only a beginning.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Prefix(_) | Self::Phrase { is_open: true, .. })
    }

    fn leave_open(&mut self) {
        if !self.words().last().is_some_and(|word| can_be_prefix(word)) {
            return;
        }
        match self {
            Self::Word(word) => *self = Self::Prefix(std::mem::take(word)),
            Self::Phrase { is_open, .. } => *is_open = true,
            Self::Prefix(_) => {}
        }
    }

    fn close(&mut self) {
        match self {
            Self::Prefix(word) => *self = Self::Word(std::mem::take(word)),
            Self::Phrase { is_open, .. } => *is_open = false,
            Self::Word(_) => {}
        }
    }

    /// Leaves out the words of a phrase that are too many.
    fn shorten(&mut self) {
        if let Self::Phrase { words, is_open } = self
            && words.len() > MAX_PHRASE_WORDS
        {
            words.truncate(MAX_PHRASE_WORDS);
            *is_open = false;
        }
    }
}

fn can_be_prefix(word: &str) -> bool {
    word.len() >= MIN_PREFIX_BYTES
}

/// A word with a sign inside, such as `10-B` or `a@b.es`, is several words in a row: a phrase.
fn term(body: &str, is_quoted: bool) -> Option<Term> {
    let mut words = tokenize(body);
    let is_open = !is_quoted && body.ends_with('*') && words.last().is_some_and(|word| can_be_prefix(word));
    if !is_quoted && words.len() == 1 {
        let word = words.pop()?;
        return Some(if is_open { Term::Prefix(word) } else { Term::Word(word) });
    }
    (!words.is_empty()).then_some(Term::Phrase { words, is_open })
}

struct Item<'q> {
    is_negated: bool,
    key: Option<&'q str>,
    body: &'q str,
    is_quoted: bool,
}

/// The parts of a query between spaces. A quotation mark that is not closed ends with the query.
fn items(text: &str) -> Vec<Item<'_>> {
    let mut rest = text.trim_start();
    let mut items = Vec::new();
    while !rest.is_empty() {
        let is_negated = rest.starts_with('-') && rest[1..].starts_with(|next: char| !next.is_whitespace());
        if is_negated {
            rest = &rest[1..];
        }
        let end = rest.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(rest.len());
        let name = rest[..end].split(':').next().unwrap_or_default();
        let key = Some(name).filter(|name| is_name(name) && rest[name.len()..].starts_with(':'));
        if let Some(key) = key {
            rest = &rest[key.len() + 1..];
        }
        let opening = rest.chars().next().filter(|first| is_quote(*first));
        let (body, after) = if let Some(first) = opening {
            let inside = &rest[first.len_utf8()..];
            let close = inside.find(is_quote).unwrap_or(inside.len());
            let after = inside[close..].chars().next().map_or(0, char::len_utf8);
            (&inside[..close], &inside[close + after..])
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(rest.len());
            rest.split_at(end)
        };
        items.push(Item { is_negated, key, body, is_quoted: opening.is_some() });
        rest = after.trim_start();
    }
    items
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '“' | '”' | '„' | '«' | '»')
}

/// Whether a text has the form of a key: letters, digits and `_`, beginning with a letter.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.len() <= 64
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
#[path = "query_tests.rs"]
mod tests;
