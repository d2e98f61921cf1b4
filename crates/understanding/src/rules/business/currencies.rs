//! The currency of a document: the one that its sums have.

use std::collections::BTreeMap;

use super::mentions::{Form, Mention};
use super::weights::{self, confidence};
use super::{BusinessDocument, Finding};
use crate::Normaliser;
use crate::normal::{DateOrder, TaxIdForm, currency, fold, is_american};
use crate::rules::value_position::TokenSpan;

impl BusinessDocument<'_> {
    /// A sum in dollars, in a document of the United States. Other countries have dollars, too.
    fn dollars(&self) -> Option<TokenSpan> {
        let is_dollar = |mention: &&Mention| {
            let tokens = &self.layout.cells[mention.cell].tokens[mention.tokens.clone()];
            matches!(mention.form, Form::Amount(_)) && tokens.iter().any(|token| token.text.contains('$'))
        };
        let found = self.mentions.all.iter().find(is_dollar)?;
        let words = self.layout.cells.iter().flat_map(|cell| cell.tokens.iter().map(|token| token.text));
        let is_month_first = self.dates.order == DateOrder::MonthFirst;
        (is_month_first || is_american(words)).then(|| (found.cell, found.tokens.clone()))
    }

    /// The currency of the country of the first tax number or account, for a document that names none.
    fn currency_of_country(&self) -> Option<(&'static str, TokenSpan)> {
        self.mentions.all.iter().find_map(|mention| {
            let is_known = match &mention.form {
                Form::Iban => true,
                Form::TaxId(form) => *form > TaxIdForm::Plain,
                _ => false,
            };
            let text = self.layout.cells[mention.cell].text(mention.tokens.clone());
            let country = text.get(..2).filter(|_| is_known)?;
            let code = match country {
                "GB" => "GBP",
                "CH" => "CHF",
                "AT" | "BE" | "DE" | "ES" | "FI" | "FR" | "IE" | "IT" | "LU" | "NL" | "PT" => "EUR",
                // The tax numbers of Spain begin with one letter, or with none.
                _ if matches!(mention.form, Form::TaxId(TaxIdForm::Checked)) && text.len() == 9 => "EUR",
                _ => return None,
            };
            Some((code, (mention.cell, mention.tokens.clone())))
        })
    }

    pub(super) fn currency(&self, totals: &[Finding]) -> Option<Finding> {
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
                // A name may be part of another one: "Euro Foods".
                if matches!(fold(bare).as_str(), "euro" | "euros") {
                    add("EUR", 0.5, (place, at..at + 1));
                }
                if is_sign && let Some(code) = currency(bare) {
                    let before = self.phrase(place, &(0..at), true);
                    let label = self.phrases.longest(&before).and_then(|found| found.meaning.key);
                    add(code, if label == Some(key) { 5.0 } else { 1.0 }, (place, at..at + 1));
                }
            }
        }
        if weights_of.is_empty()
            && let Some(span) = self.dollars()
        {
            weights_of.insert("USD", (3.0, span));
        }
        let mut rule = "currency_of_sums";
        if weights_of.is_empty()
            && let Some((code, span)) = self.currency_of_country()
        {
            rule = "currency_of_country";
            weights_of.insert(code, (0.5, span));
        }
        let all: f64 = weights_of.values().map(|(weight, _)| weight).sum();
        let (code, (weight, span)) = weights_of.into_iter().max_by(|one, two| one.1.0.total_cmp(&two.1.0))?;
        let share = weight / all.max(1.0);
        Some(Finding {
            key,
            spans: vec![span],
            text: Some(code.to_owned()),
            label: None,
            rule,
            confidence: confidence(weights::MONEY + 3.0 * share + 0.2 * weight.min(5.0)),
            marks: Vec::new(),
        })
    }
}
