//! Splits what stands behind the label of a list into its values.

use super::FieldFinder;
use super::value_position::{TokenSpan, TokenSpans};
use crate::Scope;

/// The most words of a list of names, and of each of them.
const MAX_NAME_TOKENS: usize = 40;
const MAX_NAME_WORDS: usize = 3;

impl FieldFinder<'_> {
    /// The values of a key that may have several, one by one.
    pub(super) fn split_values(&self, key: usize, values: Vec<TokenSpans>, is_plan: bool) -> Vec<TokenSpans> {
        let key = &self.schema.keys[key];
        if !key.repeatable {
            return values;
        }
        let mut values = self.split_items(values);
        if key.scope == Scope::Visit && !key.critical {
            values = values.into_iter().flat_map(|spans| self.split_names(spans)).collect();
        }
        if is_plan {
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
