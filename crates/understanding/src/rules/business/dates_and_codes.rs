//! Dates, numbers of documents, and accounts.

use std::collections::HashMap;

use super::mentions::Form;
use super::naming::ValueLabel;
use super::phrases::phrase_words;
use super::weights::{self, confidence};
use super::{BusinessDocument, Finding};
use crate::normal::TaxIdForm;
use crate::rules::layout::word_label_form;
use crate::rules::value_position::TokenSpan;
use crate::{Normaliser, Scope};

/// The part of the document in which a date without a label may be the date of the document, in rows.
const MAX_ROWS_TO_DATE: usize = 30;
/// The fewest digits in a group of a number, and the most groups.
const MIN_GROUP: usize = 3;

const MAX_GROUPS: usize = 4;
/// The fewest digits of a number in short groups.
const MIN_DIGITS_IN_GROUPS: usize = 8;
/// The form of all words for a number, and how words end that are joined with one.
const NUMBER: &str = "no";
const COMPOUND_NUMBERS: [&str; 2] = ["nummer", "nr"];

impl BusinessDocument<'_> {
    pub(super) fn dates_and_codes(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for mention in 0..self.mentions.all.len() {
            if let Some((key, weight, place)) = self.key_of(mention) {
                let label = place.map(|place| {
                    let label = &self.labels[mention][place];
                    (label.cell, label.meaning.words.clone())
                });
                findings.push(Finding {
                    key,
                    spans: vec![match self.schema.keys[key].normaliser {
                        Normaliser::Identifier => self.with_groups(mention, MIN_GROUP),
                        _ => self.span_of(mention),
                    }],
                    text: None,
                    label,
                    rule: "form",
                    confidence: weight,
                    marks: Vec::new(),
                });
            }
        }
        findings.extend(self.broken_accounts());
        self.count_repetitions(&mut findings);
        for finding in &mut findings {
            finding.confidence = confidence(finding.confidence);
        }
        findings
    }

    /// The span of a mention, with further groups of digits behind a number: "2023 0117".
    pub(super) fn with_groups(&self, mention: usize, least: usize) -> TokenSpan {
        let (cell, mut tokens) = self.span_of(mention);
        let words = &self.layout.cells[cell].tokens;
        let is_group = |at: usize| words[at].text.len() >= least && is_digits(words[at].text);
        // Short groups are one number if it is long: "72 3390 1184 05".
        let is_short = |at: &usize| (2..=6).contains(&words[*at].text.len()) && is_digits(words[*at].text);
        let run = (tokens.start..words.len()).take(MAX_GROUPS + 2).take_while(is_short).count();
        let digits: usize = words[tokens.start..tokens.start + run].iter().map(|word| word.text.len()).sum();
        if (3..=MAX_GROUPS + 1).contains(&run) && digits >= MIN_DIGITS_IN_GROUPS {
            return (cell, tokens.start..tokens.start + run);
        }
        if tokens.clone().all(is_group) {
            while tokens.end < words.len() && is_group(tokens.end) && tokens.len() < MAX_GROUPS {
                tokens.end += 1;
            }
        }
        (cell, tokens)
    }

    /// The key of a mention, its weight, and the place of the label that tells it.
    fn key_of(&self, mention: usize) -> Option<(usize, f64, Option<usize>)> {
        let it = &self.mentions.all[mention];
        if matches!(it.form, Form::Iban) {
            return Some((self.key_with(Normaliser::Iban)?, weights::INSIDE + weights::CHECKED, None));
        }
        let labels = &self.labels[mention];
        for (place, label) in labels.iter().enumerate() {
            let Some(key) = label.meaning.key else { continue };
            let is_item = self.is_item_row[self.layout.cells[it.cell].row];
            let normaliser = self.schema.keys[key].normaliser;
            // Below the head of a table of items, dates and codes are those of the items.
            let is_below_head = || self.is_item_head(self.layout.cells[label.cell].row);
            if is_item
                && (normaliser == Normaliser::Identifier
                    || (normaliser == Normaliser::Date && is_below_head()))
            {
                continue;
            }
            // "No." alone does not make the number of a tax that of the document.
            let is_tax_id = matches!(&it.form, Form::TaxId(TaxIdForm::Checked));
            if is_tax_id && label.meaning.words == NUMBER {
                continue;
            }
            if fits(self.schema.keys[key].normaliser, &it.form) || self.is_number_like_date(mention, label) {
                return Some((key, label.weight, Some(place)));
            }
            // "Invoice no. 123 of 5 March": a date behind the number of the document is its date.
            let is_of_number = self.key_with(Normaliser::Identifier) == Some(key);
            if is_of_number && matches!(it.form, Form::Date) {
                return Some((self.schema.document_date()?, weights::CHAINED + 1.0, Some(place)));
            }
        }
        // Behind a label that nobody knows, a date is that of something else: "Arrivée : 20/03/2024".
        let before = it.tokens.start.checked_sub(1).map(|at| &self.layout.cells[it.cell].tokens[at]);
        let is_of_other = before.is_some_and(|token| token.colon);
        let is_date = matches!(it.form, Form::Date) && labels.is_empty() && !is_of_other;
        let row = self.layout.cells[it.cell].row;
        let is_free = is_date && row < MAX_ROWS_TO_DATE && !self.is_item_row[row];
        is_free.then(|| self.schema.document_date()).flatten().map(|key| (key, weights::UNLABELLED, None))
    }

    /// Whether a date is the number of the document: "Invoice no. 2024/06/12". A label that does not speak of a number, as in
    /// "Invoice 12/06/2024", leaves it a date.
    fn is_number_like_date(&self, mention: usize, label: &ValueLabel) -> bool {
        let it = &self.mentions.all[mention];
        let is_number = label.meaning.key.is_some_and(|key| {
            self.key_with(Normaliser::Identifier) == Some(key) && names_number(&label.meaning.words)
        });
        let cell = &self.layout.cells[it.cell];
        let is_directly_behind = if label.cell == it.cell {
            it.tokens.start.checked_sub(1).is_some_and(|at| {
                self.mentions.at(it.cell, at).is_none() && names_number(cell.tokens[at].text)
            })
        } else {
            it.tokens.len() == cell.tokens.len()
        };
        is_number && it.tokens.len() == 1 && matches!(it.form, Form::Date) && is_directly_behind
    }

    /// A value that is mentioned several times is more certain.
    fn count_repetitions(&self, findings: &mut [Finding]) {
        let text = |finding: &Finding| {
            let (cell, tokens) = finding.spans[0].clone();
            (finding.key, self.layout.cells[cell].text(tokens))
        };
        let mut counts: HashMap<(usize, String), u8> = HashMap::new();
        for finding in findings.iter() {
            let count = counts.entry(text(finding)).or_default();
            *count = count.saturating_add(1);
        }
        for finding in findings {
            let is_of_document = self.schema.keys[finding.key].scope == Scope::Document;
            let count = counts[&text(finding)].min(4) - 1;
            finding.confidence += f64::from(count) * if is_of_document { weights::REPEATED } else { 0.0 };
        }
    }
}

/// Whether a key can have a value of this form.
fn fits(normaliser: Normaliser, form: &Form) -> bool {
    match (normaliser, form) {
        (Normaliser::Date, Form::Date)
        | (Normaliser::Identifier, Form::Code | Form::TaxId(_))
        | (Normaliser::Sum, Form::Amount(_)) => true,
        (Normaliser::Identifier, Form::Amount(amount)) => !amount.is_money,
        _ => false,
    }
}

/// Whether a label ends with a word for a number: "invoice no", "Rechnungsnummer".
fn names_number(label: &str) -> bool {
    let words = phrase_words(label);
    let ends = |word: &String| {
        word == NUMBER || COMPOUND_NUMBERS.iter().any(|end| word.ends_with(word_label_form(end).as_str()))
    };
    words.last().is_some_and(ends)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}
