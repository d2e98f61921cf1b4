//! The built-in summariser: `TextRank` (Mihalcea and Tarau, 2004) with the BM25 similarity of Barrios et al. (2016).
//!
//! Sentences are the nodes of a graph, similar sentences are connected, and a random walk ranks them. The walk prefers
//! sentences at the beginning and those that share words with the title. A long text is ranked in parts, and the best
//! sentences of all parts once more. The summary consists of sentences of the text, word by word.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::content::Summary;
use super::contract::{SummaryError, validate};
use super::plain::{Block, blocks};
use super::sentences::sentences;
use super::words::{is_wide, reading_minutes, terms};
use super::{SummarySource, cut};

/// The name of the method, to store with a summary.
pub const METHOD: &str = "textrank";

/// What readers are told about a summary of this method.
const CAUTION: &str = "Built-in extractive summary (TextRank): sentences of the text, chosen by their rank. Nothing was rephrased.";

/// The text beyond this many characters is not read.
const MAX_CHARS: usize = 400_000;
/// The most sentences that are ranked together: the time grows with the square.
const PART_SENTENCES: usize = 150;
/// A shorter or longer sentence is no sentence, but a label or a list.
const SENTENCE_CHARS: std::ops::RangeInclusive<usize> = 25..=500;
/// A sentence that shares more of its words with a chosen one says the same.
const MAX_OVERLAP: f64 = 0.5;

/// The usual constants of BM25 and of the random walk.
const BM25_K1: f64 = 1.2;
const BM25_B: f64 = 0.75;
const DAMPING: f64 = 0.85;
const ROUNDS: usize = 40;

/// A sentence that may be chosen.
#[derive(Clone, Debug)]
struct Sentence {
    text: String,
    /// Its terms with their count, in order.
    terms: Vec<(usize, f64)>,
    position: usize,
}

/// Summarises a text without a model.
pub fn summarise(source: &SummarySource<'_>) -> Result<Summary, SummaryError> {
    let mut summary = validate(&propose(source), source)?;
    let chars = source.text.chars().count();
    if chars > MAX_CHARS {
        let caution =
            format!("Only the first {MAX_CHARS} of {chars} characters of the text were summarised.");
        summary.insights.add_caution(&caution);
    }
    Ok(summary)
}

fn propose(source: &SummarySource<'_>) -> Value {
    let end = source.text.char_indices().nth(MAX_CHARS).map_or(source.text.len(), |(end, _)| end);
    let blocks = blocks(&source.text[..end]);
    let mut vocabulary = HashMap::new();
    let candidates = candidates(&blocks, source.language, &mut vocabulary);
    let title = term_counts(source.title.unwrap_or_default(), source.language, &mut vocabulary);
    let ranked = rank_in_parts(candidates, &title);
    let plain = blocks.iter().map(Block::text).collect::<Vec<_>>().join("\n");
    if ranked.is_empty() {
        let text = plain.replace('\n', " ");
        return json!({ "tldr": cut(&text, 1000), "estimated_reading_time_min": reading_minutes(&plain),
            "insights": { "caution": CAUTION } });
    }
    let joined = |limit: usize, most: usize| texts(choose(&ranked, limit, most)).join(" ");
    let quotes: Vec<Value> =
        texts(choose(&ranked, 1500, 3)).into_iter().map(|text| json!({ "text": text })).collect();
    json!({
        "summary_250": joined(250, 3),
        "summary_1000": joined(1000, 12),
        "tldr": joined(500, 3),
        "key_ideas": texts(choose(&ranked, 2500, 5)),
        "extractive_quotes": quotes,
        "estimated_reading_time_min": reading_minutes(&plain),
        "hallucination_risk": "low",
        "insights": { "caution": CAUTION },
    })
}

/// The sentences of paragraphs, and items of lists that are as long as sentences; each once.
fn candidates(
    blocks: &[Block],
    language: Option<&str>,
    vocabulary: &mut HashMap<String, usize>,
) -> Vec<Sentence> {
    let mut seen = std::collections::HashSet::new();
    let texts = blocks.iter().filter(|block| !matches!(block, Block::Heading(_))).map(Block::text);
    let mut found = Vec::new();
    for text in texts.flat_map(sentences) {
        let chars = text.chars().count();
        let is_long =
            text.split_whitespace().count() >= 5 || text.chars().filter(|char| is_wide(*char)).count() >= 8;
        let min = if text.chars().any(is_wide) { 8 } else { *SENTENCE_CHARS.start() };
        if !is_long || !(min..=*SENTENCE_CHARS.end()).contains(&chars) || !seen.insert(text.to_lowercase()) {
            continue;
        }
        let terms = term_counts(text, language, vocabulary);
        found.push(Sentence { text: text.to_owned(), terms, position: found.len() });
    }
    found
}

fn term_counts(
    text: &str,
    language: Option<&str>,
    vocabulary: &mut HashMap<String, usize>,
) -> Vec<(usize, f64)> {
    let mut counts: HashMap<usize, f64> = HashMap::new();
    for term in terms(text, language) {
        let next = vocabulary.len();
        *counts.entry(*vocabulary.entry(term.stem).or_insert(next)).or_default() += 1.0;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(term, _)| *term);
    counts
}

/// The sentences, best first. Of a long text, the best ones of each part.
fn rank_in_parts(mut sentences: Vec<Sentence>, title: &[(usize, f64)]) -> Vec<Sentence> {
    while sentences.len() > PART_SENTENCES {
        let parts = sentences.len().div_ceil(PART_SENTENCES);
        let kept = (PART_SENTENCES / parts).clamp(2, PART_SENTENCES / 2);
        let best = sentences.chunks(PART_SENTENCES).flat_map(|part| {
            let mut best = rank(part.to_vec(), title);
            best.truncate(kept);
            best.sort_by_key(|sentence| sentence.position);
            best
        });
        sentences = best.collect();
    }
    rank(sentences, title)
}

/// The sentences, best first.
#[allow(clippy::cast_precision_loss)] // At most a few hundred sentences.
fn rank(sentences: Vec<Sentence>, title: &[(usize, f64)]) -> Vec<Sentence> {
    let weights = similarities(&sentences);
    let totals: Vec<f64> = weights.iter().map(|row| row.iter().sum()).collect();
    let start = |(index, sentence): (usize, &Sentence)| {
        let shared = title.iter().filter(|(term, _)| has_term(sentence, *term)).count();
        let title_bonus = if title.is_empty() { 0.0 } else { shared as f64 / title.len() as f64 };
        1.0 + 2.0 / (1.0 + index as f64) + 2.0 * title_bonus
    };
    let starts: Vec<f64> = sentences.iter().enumerate().map(start).collect();
    let sum: f64 = starts.iter().sum();
    let starts: Vec<f64> = starts.iter().map(|start| start / sum).collect();
    let mut ranks = starts.clone();
    for _ in 0..ROUNDS {
        // What sentences without any similar one have goes back to the start.
        let lost: f64 =
            ranks.iter().zip(&totals).filter(|(_, total)| **total <= 0.0).map(|(rank, _)| rank).sum();
        let mut next: Vec<f64> =
            starts.iter().map(|start| start * (1.0 - DAMPING + DAMPING * lost)).collect();
        for (from, row) in weights.iter().enumerate().filter(|(from, _)| totals[*from] > 0.0) {
            let share = DAMPING * ranks[from] / totals[from];
            for (to, weight) in row.iter().enumerate() {
                next[to] += share * weight;
            }
        }
        ranks = next;
    }
    let mut ranked: Vec<(f64, Sentence)> = ranks.into_iter().zip(sentences).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.position.cmp(&b.1.position)));
    ranked.into_iter().map(|(_, sentence)| sentence).collect()
}

fn has_term(sentence: &Sentence, term: usize) -> bool {
    sentence.terms.binary_search_by_key(&term, |(own, _)| *own).is_ok()
}

/// How similar each two sentences are, by BM25 in both directions.
#[allow(clippy::cast_precision_loss)] // At most a few hundred sentences.
fn similarities(sentences: &[Sentence]) -> Vec<Vec<f64>> {
    let mut containing: HashMap<usize, f64> = HashMap::new();
    for (term, _) in sentences.iter().flat_map(|sentence| &sentence.terms) {
        *containing.entry(*term).or_default() += 1.0;
    }
    let all = sentences.len() as f64;
    let length = |sentence: &Sentence| sentence.terms.iter().map(|(_, count)| count).sum::<f64>();
    let mean = sentences.iter().map(length).sum::<f64>() / all.max(1.0);
    let rarity = |term: usize| {
        let containing = containing.get(&term).copied().unwrap_or_default();
        ((all - containing + 0.5) / (containing + 0.5) + 1.0).ln()
    };
    let score = |query: &Sentence, text: &Sentence| -> f64 {
        let long = BM25_K1 * (1.0 - BM25_B + BM25_B * length(text) / mean.max(1.0));
        shared(query, text)
            .map(|(term, _, count)| rarity(term) * count * (BM25_K1 + 1.0) / (count + long))
            .sum()
    };
    let mut weights = vec![vec![0.0; sentences.len()]; sentences.len()];
    for (one, first) in sentences.iter().enumerate() {
        for (two, second) in sentences.iter().enumerate().skip(one + 1) {
            let similar = score(first, second) + score(second, first);
            weights[one][two] = similar;
            weights[two][one] = similar;
        }
    }
    weights
}

/// The terms that two sentences share, with their counts in both.
fn shared<'s>(one: &'s Sentence, two: &'s Sentence) -> impl Iterator<Item = (usize, f64, f64)> + 's {
    let mut others = two.terms.iter().peekable();
    one.terms.iter().filter_map(move |(term, count)| {
        while others.next_if(|(other, _)| other < term).is_some() {}
        others.next_if(|(other, _)| other == term).map(|(_, other)| (*term, *count, *other))
    })
}

/// The best sentences that say different things, within a limit of characters and number, in the order of the text.
#[allow(clippy::cast_precision_loss)] // A sentence has few terms.
fn choose(ranked: &[Sentence], limit: usize, most: usize) -> Vec<&Sentence> {
    let mut chosen: Vec<&Sentence> = Vec::new();
    let mut chars = 0;
    for sentence in ranked {
        let length = sentence.text.chars().count() + usize::from(!chosen.is_empty());
        let repeats = chosen.iter().any(|other| {
            let fewer = sentence.terms.len().min(other.terms.len()).max(1);
            shared(sentence, other).count() as f64 / fewer as f64 > MAX_OVERLAP
        });
        if chosen.len() < most && chars + length <= limit && !repeats {
            chars += length;
            chosen.push(sentence);
        }
    }
    if chosen.is_empty() {
        chosen.extend(ranked.first());
    }
    chosen.sort_by_key(|sentence| sentence.position);
    chosen
}

fn texts(chosen: Vec<&Sentence>) -> Vec<&str> {
    chosen.into_iter().map(|sentence| sentence.text.as_str()).collect()
}

#[cfg(test)]
#[path = "extractive_tests.rs"]
mod tests;
