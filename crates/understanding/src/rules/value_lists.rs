//! Splits what stands behind the label of a list into its values.

use super::FieldFinder;
use super::label_key::MAX_UNIT;
use super::layout::Token;
use super::value_position::{TokenSpan, TokenSpans};
use crate::Scope;

/// The most words of a list of names, and of each of them.
const MAX_NAME_TOKENS: usize = 40;
const MAX_NAME_WORDS: usize = 3;

/// The most words of a phrase beside another one.
const MAX_PHRASE: usize = 9;
/// The most words of a name before its measure, and words that go on with the dose before them.
const MAX_WORDS_TO_MEASURE: usize = 5;
const DOSE_WORDS: [&str; 24] = [
    "cada", "durante", "luego", "despues", "hasta", "then", "every", "once", "twice", "given", "half",
    "medio", "media", "dosis", "repetir", "bajar", "reducir", "dividido", "divided", "followed", "seguido",
    "tapering", "total", "maximo",
];

impl FieldFinder<'_> {
    /// The values of a key that may have several, one by one.
    pub(super) fn split_values(
        &self,
        place: usize,
        values: Vec<TokenSpans>,
        is_mixed: bool,
    ) -> Vec<TokenSpans> {
        let key = &self.schema.keys[place];
        if !key.repeatable && !is_mixed {
            return values;
        }
        let mut values = self.split_items(values);
        if key.scope == Scope::Visit && !key.critical {
            values = values.into_iter().flat_map(|spans| self.split_names(spans)).collect();
        }
        if key.scope == Scope::Visit && key.repeatable {
            values = values.into_iter().flat_map(|spans| self.split_at_joints(place, &spans)).collect();
        }
        if is_mixed {
            values = values.into_iter().flat_map(|spans| self.split_sentences(&spans)).collect();
        }
        values
    }

    /// Splits a value at the ends of its sentences.
    fn split_sentences(&self, spans: &[TokenSpan]) -> Vec<TokenSpans> {
        let flow = self.flow_of(spans);
        let mut sentences = Vec::new();
        let mut start = 0;
        for at in 0..flow.tokens.len() {
            if flow.ends_sentence(at) || at + 1 == flow.tokens.len() {
                sentences.push(flow.spans(start..at + 1));
                start = at + 1;
            }
        }
        sentences
    }

    /// Splits a value of a list of visits at the commas and joining words between two things of its kind.
    pub(super) fn split_at_joints(&self, key: usize, spans: &[TokenSpan]) -> Vec<TokenSpans> {
        let schema_key = &self.schema.keys[key];
        let flow = self.flow_of(spans);
        // What has measures is told with them: "Omeprazol 20 mg, una cápsula", "ALT 187 U/L y bilirrubina 0,6 mg/dL".
        if schema_key.cues.iter().any(|cue| cue.len() <= MAX_UNIT) {
            return if schema_key.critical { self.split_measures(key, spans) } else { vec![spans.to_vec()] };
        }
        let mut values = Vec::new();
        let mut start = 0;
        for at in 1..flow.tokens.len() {
            let is_comma = flow.tokens[at - 1].text.ends_with(',');
            let is_word = matches!(flow.tokens[at].text, "y" | "and");
            if !is_comma && !is_word {
                continue;
            }
            let next = at + usize::from(is_word);
            let end = (next + 1..flow.tokens.len()).find(|end| {
                flow.tokens[end - 1].text.ends_with(',') || matches!(flow.tokens[*end].text, "y" | "and")
            });
            let parts = (&flow.tokens[start..at], &flow.tokens[next..end.unwrap_or(flow.tokens.len())]);
            if self.are_two_things(key, parts, is_comma) {
                values.push(flow.spans(start..at));
                start = next;
            }
        }
        values.push(flow.spans(start..flow.tokens.len()));
        values
    }

    /// Whether two parts of a value are two things. What has words of its own begins with such a word: a procedure
    /// behind a comma, or a vaccine behind another with its own number. Anything else is one of two phrases.
    fn are_two_things(&self, key: usize, (one, two): (&[Token<'_>], &[Token<'_>]), is_comma: bool) -> bool {
        let schema_key = &self.schema.keys[key];
        let has_number =
            |part: &[Token<'_>]| part.iter().any(|token| token.text.bytes().any(|b| b.is_ascii_digit()));
        let count = |part: &[Token<'_>]| part.iter().filter(|token| !token.is_separator()).count();
        if schema_key.cues.is_empty() && !schema_key.critical {
            let least = if is_comma { 1 } else { 2 };
            // "Sneezing for 4 days, started on Aug 26" is one.
            if has_number(two) {
                return false;
            }
            return (least..=MAX_PHRASE).contains(&count(one)) && (least..=MAX_PHRASE).contains(&count(two));
        }
        let is_cued = |part: &[Token<'_>]| part.iter().take(2).any(|token| self.is_cue(key, &token.word));
        let has_own =
            if schema_key.critical { is_comma && count(two) > 1 } else { has_number(one) && has_number(two) };
        has_own && is_cued(two)
    }

    /// Splits a value where a name with its own measure follows another: "Amoxicilina 100 mg cada 12 h, Carprofeno 25 mg", "insulina
    /// 2 ui y metadona 1 mg". The rest of a dose starts with no name: "Omeprazol 20 mg, una cápsula".
    fn split_measures(&self, key: usize, spans: &[TokenSpan]) -> Vec<TokenSpans> {
        let flow = self.flow_of(spans);
        let measures: Vec<usize> =
            (0..flow.tokens.len()).filter(|at| self.is_measure_of(key, &flow.tokens, *at)).collect();
        let mut values = Vec::new();
        let mut start = 0;
        for pair in measures.windows(2) {
            let is_joint = |at: &usize| {
                let joins = matches!(flow.tokens[*at].text, "y" | "e" | "and" | "+");
                joins || flow.tokens[*at].text.ends_with([',', '.'])
            };
            let Some(joint) = (pair[0] + 1..pair[1]).rev().find(is_joint) else { continue };
            let name = &flow.tokens[joint + 1..pair[1]];
            let is_name = (1..=MAX_WORDS_TO_MEASURE).contains(&name.len())
                && name[0].text.chars().filter(|c| c.is_alphabetic()).count() > 3
                && !DOSE_WORDS.contains(&name[0].word.as_str());
            if is_name {
                let ends = flow.tokens[joint].text.ends_with([',', '.']);
                values.push(flow.spans(start..joint + usize::from(ends)));
                start = joint + 1;
            }
        }
        values.push(flow.spans(start..flow.tokens.len()));
        values
    }

    /// Splits a list of names at its commas: "Rabies, Leptospirosis". A sentence stays whole.
    fn split_names(&self, spans: TokenSpans) -> Vec<TokenSpans> {
        let [(cell, tokens)] = &spans[..] else { return vec![spans] };
        if tokens.len() > MAX_NAME_TOKENS {
            return vec![spans];
        }
        let words = &self.layout.cells[*cell].tokens;
        let mut names: Vec<TokenSpans> = Vec::new();
        let mut start = tokens.start;
        for at in tokens.clone() {
            if words[at].text.ends_with(',') || at + 1 == tokens.end {
                names.push(vec![(*cell, start..at + 1)]);
                start = at + 1;
            }
        }
        let is_name = |name: &TokenSpans| {
            let name = &words[name[0].1.clone()];
            let has_digits = name.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
            (1..=MAX_NAME_WORDS).contains(&name.len())
                && name[0].text.starts_with(char::is_uppercase)
                && !has_digits
        };
        if names.len() > 1 && names.iter().all(is_name) { names } else { vec![spans] }
    }

    /// Splits values at semicolons.
    pub(super) fn split_items(&self, values: Vec<TokenSpans>) -> Vec<TokenSpans> {
        let mut items: Vec<TokenSpans> = Vec::new();
        for spans in values {
            let mut item: TokenSpans = Vec::new();
            for (cell, tokens) in spans {
                let mut start = tokens.start;
                for at in tokens.clone() {
                    if self.layout.cells[cell].tokens[at].text.ends_with(';') {
                        item.push((cell, start..at + 1));
                        items.push(std::mem::take(&mut item));
                        start = at + 1;
                    }
                }
                if start < tokens.end {
                    item.push((cell, start..tokens.end));
                }
            }
            if !item.is_empty() {
                items.push(item);
            }
        }
        items
    }
}
