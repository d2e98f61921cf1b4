//! Finds values in the text about a visit by the words of its sentences: "Conductos eritematosos con cerumen abundante" tells a
//! symptom, "Creatinina 1,4 mg/dl" a result. A sentence that denies what it names tells none: "Sin dolor a la palpación".

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::candidate::Provenance;
use super::flow::Flow;
use super::layout::Token;
use super::value_position::{TokenSpan, TokenSpans};
use super::visit_start::date_at;
use super::{FieldFinder, UNLABELLED_RANK};
use crate::Schema;

/// The way of finding a value in a sentence. What a label tells comes before it.
pub(super) const TOLD_IN_TEXT: &str = "fallback::told";
/// The longest sentence that is one value, in words.
const MAX_WORDS: usize = 40;
const MAX_WORDS_IN_LETTER: usize = 16;
/// The first words of a part of a sentence, among which its own word stands.
const FIRST_WORDS: usize = 3;
/// Words that deny what follows or make it a condition, and how far they reach.
const DENIALS: [&str; 36] = [
    "citada",
    "citado",
    "citar",
    "cita",
    "pendiente",
    "programada",
    "programado",
    "proxima",
    "proximo",
    "booked",
    "next",
    "scheduled",
    "will",
    "planned",
    "recheck",
    "revision",
    "control",
    "discussed",
    "si",
    "if",
    "sin",
    "no",
    "ni",
    "niega",
    "niegan",
    "nunca",
    "not",
    "without",
    "denies",
    "denied",
    "nor",
    "never",
    "neither",
    "ausencia",
    "absent",
    "descarta",
];
const MAX_DENIED_WORDS: usize = 5;
/// Words of sentences that state that all is well, or better.
const WELL: [&str; 26] = [
    "buen",
    "good",
    "normal",
    "normales",
    "normalidad",
    "wnl",
    "nad",
    "unremarkable",
    "resuelto",
    "resuelta",
    "resolved",
    "mejor",
    "mejoria",
    "better",
    "improved",
    "negativo",
    "negativa",
    "negative",
    "clear",
    "limpia",
    "limpio",
    "integro",
    "integra",
    "ausente",
    "ausentes",
    "gone",
];
/// Further words by which an owner says so.
const FINE: [&str; 12] = [
    "well",
    "no",
    "sin",
    "healthy",
    "comfortable",
    "bright",
    "fine",
    "ok",
    "bien",
    "sano",
    "sana",
    "contento",
];
/// The shortest beginning of words that stands for all of them, in bytes.
const MIN_BEGINNING: usize = 3;

/// The words of the keys whose values sentences tell, each with its key. One lookup serves all keys.
pub(super) struct SentenceWords {
    keys: HashSet<usize>,
    whole: HashMap<String, usize>,
    beginnings: HashMap<String, usize>,
    endings: Vec<(String, usize)>,
    /// The longest of the beginnings, in bytes.
    longest: usize,
}

impl SentenceWords {
    pub fn of(schema: &Schema) -> Self {
        let mut all = Self {
            keys: HashSet::new(),
            whole: HashMap::new(),
            beginnings: HashMap::new(),
            endings: Vec::new(),
            longest: 0,
        };
        for (place, key) in schema.keys.iter().enumerate() {
            for word in &key.sentence_words {
                all.keys.insert(place);
                match (word.strip_suffix('*'), word.strip_prefix('*')) {
                    (Some(beginning), _) => {
                        all.longest = all.longest.max(beginning.len());
                        all.beginnings.entry(beginning.to_owned()).or_insert(place);
                    }
                    (None, Some(ending)) => all.endings.push((ending.to_owned(), place)),
                    (None, None) => _ = all.whole.entry(word.clone()).or_insert(place),
                }
            }
        }
        all
    }

    /// The key that a word tells a value of. Of several, the first in the schema.
    fn key_of(&self, word: &str) -> Option<usize> {
        let ends = (MIN_BEGINNING..=word.len().min(self.longest)).filter(|end| word.is_char_boundary(*end));
        let by_beginning = ends.filter_map(|end| self.beginnings.get(&word[..end])).min().copied();
        let by_ending = self.endings.iter().find(|(ending, _)| word.ends_with(ending.as_str()));
        let all = [self.whole.get(word).copied(), by_beginning, by_ending.map(|(_, key)| *key)];
        all.into_iter().flatten().min()
    }
}

impl FieldFinder<'_> {
    /// Proposes the values that the sentences of a text tell. Words of other values are left out.
    pub(super) fn read_told_values(&mut self, spans: &[TokenSpan], taken: &[bool]) {
        self.read_told_sentences(spans, taken, MAX_WORDS);
    }

    /// The same in a letter, whose longer sentences tell several things.
    pub(super) fn read_told_in_letter(&mut self, spans: &[TokenSpan], taken: &[bool]) {
        self.read_told_sentences(spans, taken, MAX_WORDS_IN_LETTER);
    }

    fn read_told_sentences(&mut self, spans: &[TokenSpan], taken: &[bool], most: usize) {
        if self.visit.is_none() || self.is_in_history || self.sentence_words.keys.is_empty() {
            return;
        }
        let flow = self.flow_of(spans);
        for sentence in sentences(&flow) {
            // In a letter, what a sentence tells of a day is the story of a visit, or of another one.
            let has_day = || sentence.clone().any(|at| date_at(&flow.tokens, at, self.dates.order).is_some());
            let is_short = sentence.len() <= most && (most == MAX_WORDS || !has_day());
            if is_short && !sentence.clone().any(|at| taken.get(at).copied().unwrap_or_default()) {
                self.told_in_sentence(&flow, sentence);
            }
        }
    }

    /// Of sentences behind a label, those that tell a value of the key: "Subjective: Still licks her paws. Swims in the river". The
    /// others are told about the visit. If none tells one, all are kept, unless they say that all is well. Also returns whether
    /// sentences were told apart.
    pub(super) fn only_told(&mut self, key: usize, values: Vec<TokenSpans>) -> (Vec<TokenSpans>, bool) {
        if !self.schema.keys[key].cues.is_empty() || !self.sentence_words.keys.contains(&key) {
            return (values, false);
        }
        let mut kept = Vec::new();
        let mut is_told = false;
        for spans in values {
            let flow = self.flow_of(&spans);
            let sentences = sentences(&flow);
            let (told, others): (Vec<_>, Vec<_>) = sentences.into_iter().partition(|sentence| {
                self.told_key(&flow.tokens[sentence.clone()]).is_some_and(|(told, _)| told == key)
            });
            let is_well = told.is_empty() && others.len() > 1 && flow.tokens.iter().any(says_well);
            if others.is_empty() || (told.is_empty() && !is_well) {
                kept.push(spans);
                continue;
            }
            is_told = true;
            kept.extend(
                told.into_iter()
                    .flat_map(|sentence| self.told_parts(key, &flow, sentence))
                    .map(|part| flow.spans(part)),
            );
            let words =
                others.iter().map(|sentence| flow.text(sentence.clone())).collect::<Vec<_>>().join(" ");
            self.add_narrative(&words, &spans);
        }
        (kept, is_told)
    }

    /// Whether a cell without a known label tells a value of this key: "Hemograma: hematocrito 31 %" among tests.
    pub(super) fn tells(&self, key: usize, cell: usize) -> bool {
        let is_unknown = self.segments[cell].first().is_some_and(|first| first.label.is_none());
        is_unknown
            && self.sentence_words.keys.contains(&key)
            && self.told_key(&self.layout.cells[cell].tokens).is_some_and(|(told, _)| told == key)
    }

    fn told_in_sentence(&mut self, flow: &Flow<'_>, sentence: Range<usize>) {
        let Some((key, _)) = self.told_key(&flow.tokens[sentence.clone()]) else { return };
        for part in self.told_parts(key, flow, sentence) {
            let provenance = Provenance {
                rank: UNLABELLED_RANK,
                mapping: TOLD_IN_TEXT.to_owned(),
                label: None,
                text: None,
            };
            self.add_candidate(key, &flow.spans(part), provenance);
        }
    }

    /// The parts of a sentence between its commas, where each tells a value by itself: "Fiebre de 40 ºC, mucosas pálidas".
    fn told_parts(&self, key: usize, flow: &Flow<'_>, sentence: Range<usize>) -> Vec<Range<usize>> {
        // "Cerenia 60 mg, 1 tab a day" is one thing, and so are a result and its parts.
        if !self.schema.keys[key].cues.is_empty() {
            return vec![sentence];
        }
        let mut parts: Vec<Range<usize>> = Vec::new();
        let mut start = sentence.start;
        for at in sentence.clone() {
            if flow.tokens[at].text.ends_with(',') || at + 1 == sentence.end {
                parts.push(start..at + 1);
                start = at + 1;
            }
        }
        let tells = |part: &Range<usize>| {
            let told = self.told_key(&flow.tokens[part.clone()]);
            told.is_some_and(|(told, at)| told == key && at < FIRST_WORDS)
        };
        if parts.iter().all(tells) { parts } else { vec![sentence] }
    }

    /// The key whose word stands first in a sentence without being denied, and where it stands.
    pub(super) fn told_key(&self, words: &[Token<'_>]) -> Option<(usize, usize)> {
        if words.len() > MAX_WORDS {
            return None;
        }
        let is_well = words.iter().any(|token| WELL.contains(&token.word.as_str()));
        (0..words.len()).find_map(|at| {
            self.layout.count_step();
            let told = self.sentence_words.key_of(&words[at].word)?;
            let before = &words[at.saturating_sub(MAX_DENIED_WORDS)..at];
            let is_denied = before.iter().any(|token| DENIALS.contains(&token.word.as_str()));
            // What was examined is a result, even if nothing was found.
            let is_result = !self.schema.keys[told].cues.is_empty();
            (is_result || !(is_denied || is_well)).then_some((told, at))
        })
    }
}

fn says_well(token: &Token<'_>) -> bool {
    let word = token.word.as_str();
    WELL.contains(&word) || FINE.contains(&word)
}

/// The sentences of a text. Semicolons separate them, too.
fn sentences(flow: &Flow<'_>) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    while start < flow.tokens.len() {
        let end = flow.sentence_end(start).max(start + 1);
        sentences.push(start..end);
        start = end;
    }
    sentences
}
