//! Dates, numbers of documents, and accounts.

use std::collections::HashMap;

use super::mentions::Form;
use super::weights::{self, confidence};
use super::{BusinessDocument, Proposal};
use crate::{Normaliser, Scope};

/// The part of the document in which a date without a label may be the date of the document, in rows.
const MAX_ROWS_TO_DATE: usize = 30;

impl BusinessDocument<'_> {
    pub(super) fn dates_and_codes(&self) -> Vec<Proposal> {
        let mut proposals: Vec<Proposal> = Vec::new();
        for mention in 0..self.mentions.all.len() {
            if let Some((key, weight, name)) = self.key_of(mention) {
                let label = name.map(|name| {
                    let name = &self.names[mention][name];
                    (name.cell, name.meaning.words.clone())
                });
                proposals.push(Proposal {
                    key,
                    spans: vec![self.span_of(mention)],
                    text: None,
                    label,
                    rule: "form",
                    confidence: weight,
                });
            }
        }
        self.count_repetitions(&mut proposals);
        for proposal in &mut proposals {
            proposal.confidence = confidence(proposal.confidence);
        }
        proposals
    }

    /// The key of a mention, its weight, and the name that tells it.
    fn key_of(&self, mention: usize) -> Option<(usize, f64, Option<usize>)> {
        let it = &self.mentions.all[mention];
        if matches!(it.form, Form::Iban) {
            return Some((self.key_with(Normaliser::Iban)?, weights::INSIDE + weights::CHECKED, None));
        }
        let names = &self.names[mention];
        for (place, name) in names.iter().enumerate() {
            let Some(key) = name.meaning.key else { continue };
            if fits(self.schema.keys[key].normaliser, &it.form) {
                return Some((key, name.weight, Some(place)));
            }
            // "Invoice no. 123 of 5 March": a date behind the number of the document is its date.
            let is_of_number = self.schema.keys[key].normaliser == Normaliser::Identifier;
            if is_of_number && matches!(it.form, Form::Date) {
                return Some((self.schema.document_date()?, weights::CHAINED + 1.0, Some(place)));
            }
        }
        let is_date = matches!(it.form, Form::Date) && names.is_empty();
        let row = self.layout.cells[it.cell].row;
        let is_free = is_date && row < MAX_ROWS_TO_DATE && !self.is_item_row[row];
        is_free.then(|| self.schema.document_date()).flatten().map(|key| (key, weights::UNLABELLED, None))
    }

    /// A value that is mentioned several times is more certain.
    fn count_repetitions(&self, proposals: &mut [Proposal]) {
        let text = |proposal: &Proposal| {
            let (cell, tokens) = proposal.spans[0].clone();
            (proposal.key, self.layout.cells[cell].text(tokens))
        };
        let mut counts: HashMap<(usize, String), u8> = HashMap::new();
        for proposal in proposals.iter() {
            let count = counts.entry(text(proposal)).or_default();
            *count = count.saturating_add(1);
        }
        for proposal in proposals {
            let is_of_document = self.schema.keys[proposal.key].scope == Scope::Document;
            let count = counts[&text(proposal)].min(4) - 1;
            proposal.confidence += f64::from(count) * if is_of_document { weights::REPEATED } else { 0.0 };
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
