//! The currency of a document: the one that its sums have.

use std::collections::BTreeMap;

use super::mentions::Form;
use super::weights::{self, confidence};
use super::{BusinessDocument, Proposal};
use crate::Normaliser;
use crate::normal::currency;
use crate::rules::value_position::TokenSpan;

impl BusinessDocument<'_> {
    pub(super) fn currency(&self, totals: &[Proposal]) -> Option<Proposal> {
        let key = self.key_with(Normaliser::Currency)?;
        let mut weights_of: BTreeMap<&'static str, (f64, TokenSpan)> = BTreeMap::new();
        let mut add = |code: &'static str, weight: f64, span: TokenSpan| {
            weights_of.entry(code).or_insert((0.0, span)).0 += weight;
        };
        for mention in &self.mentions.all {
            if let Form::Amount(amount) = &mention.form
                && let Some(code) = amount.currency
            {
                let is_total = totals.iter().any(|total| total.spans[0].0 == mention.cell);
                add(code, if is_total { 3.0 } else { 1.0 }, (mention.cell, mention.tokens.clone()));
            }
        }
        for (place, cell) in self.layout.cells.iter().enumerate() {
            for (at, token) in cell.tokens.iter().enumerate() {
                let bare = token.text.trim_matches(|c: char| "().,:;".contains(c));
                let is_sign = bare.len() == 3 && bare.bytes().all(|b| b.is_ascii_uppercase())
                    || bare == "€"
                    || bare == "£";
                if is_sign && let Some(code) = currency(bare) {
                    let before = self.phrase(place, &(0..at), true);
                    let label = self.phrases.longest(&before).and_then(|found| found.meaning.key);
                    add(code, if label == Some(key) { 5.0 } else { 1.0 }, (place, at..at + 1));
                }
            }
        }
        let all: f64 = weights_of.values().map(|(weight, _)| weight).sum();
        let (code, (weight, span)) = weights_of.into_iter().max_by(|one, two| one.1.0.total_cmp(&two.1.0))?;
        let share = weight / all.max(1.0);
        Some(Proposal {
            key,
            spans: vec![span],
            text: Some(code.to_owned()),
            label: None,
            rule: "currency_of_sums",
            confidence: confidence(weights::MONEY + 3.0 * share + 0.2 * weight.min(5.0)),
        })
    }
}
