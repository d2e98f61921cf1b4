//! Gives tax numbers to the two parties.

use super::mentions::{Form, Mention};
use super::naming::ValueLabel;
use super::parties::Party;
use super::weights::{self, confidence};
use super::{BusinessDocument, Finding};
use crate::Normaliser;
use crate::normal::TaxIdForm;

/// The fewest digits of a tax number that has no known form.
const MIN_DIGITS: usize = 7;
/// The most words between the label of a party and its tax number in a line.
const MAX_WORDS_TO_LABEL: usize = 16;
/// The fewest digits in a group of a tax number: "123 4567 82".
const MIN_GROUP: usize = 2;

impl BusinessDocument<'_> {
    pub(super) fn tax_ids(&self, parties: &[Option<Party>; 2]) -> Vec<Finding> {
        let mut keys =
            (0..self.schema.keys.len()).filter(|key| self.schema.keys[*key].normaliser == Normaliser::TaxId);
        let keys = [keys.next(), keys.next()];
        let mut findings = Vec::new();
        for (place, mention) in self.mentions.all.iter().enumerate() {
            let Some((weight, own, label)) = self.tax_id_weight(place, mention) else { continue };
            let party = keys
                .iter()
                .position(|key| key.is_some() && *key == own)
                .or_else(|| self.party_in_label(place))
                .or_else(|| self.party_in_line(mention))
                .or_else(|| self.party_of_block(mention.cell, parties))
                .unwrap_or(0);
            let Some(key) = keys[party] else { continue };
            findings.push(Finding {
                key,
                spans: vec![self.with_groups(place, MIN_GROUP)],
                text: None,
                label,
                rule: "form",
                confidence: confidence(weight),
            });
        }
        findings
    }

    /// How much speaks for a mention being a tax number, the key that its label names, and the label.
    #[allow(clippy::type_complexity)] // Used once.
    fn tax_id_weight(
        &self,
        place: usize,
        mention: &Mention,
    ) -> Option<(f64, Option<usize>, Option<(usize, String)>)> {
        let label = self.labels[place].first();
        let is_tax_id = |key: &usize| self.schema.keys[*key].normaliser == Normaliser::TaxId;
        let is_tax = |key: &usize| self.schema.keys[*key].normaliser == Normaliser::TaxSum;
        let has_form = matches!(mention.form, Form::TaxId(TaxIdForm::Checked | TaxIdForm::Shaped));
        // "VAT IE6388047V": the word for the tax before a form that nothing else has.
        let is_named = |label: &&ValueLabel| {
            let keys = || label.meaning.shared.iter().chain(&label.meaning.key);
            keys().any(is_tax_id) || (has_form && keys().any(is_tax))
        };
        let named = label.filter(is_named);
        // A label of something else, such as the number of the document.
        let is_other = named.is_none() && label.is_some_and(|label| label.meaning.section.is_none());
        let form = match &mention.form {
            Form::TaxId(TaxIdForm::Checked) => weights::CHECKED,
            Form::TaxId(TaxIdForm::Shaped) if !is_other => weights::SHAPED,
            Form::TaxId(_) if named.is_some() => 0.0,
            Form::Code | Form::Amount(_) if named.is_some() && self.digits_of(place) >= MIN_DIGITS => -0.5,
            _ => return None,
        };
        let label = named.map(|label| (label.cell, label.meaning.words.clone()));
        let weight = form
            + named.map_or(weights::UNLABELLED + if is_other { -1.5 } else { 1.0 }, |label| label.weight);
        Some((weight, named.and_then(|label| label.meaning.key), label))
    }

    fn digits_of(&self, place: usize) -> usize {
        let (cell, tokens) = self.with_groups(place, MIN_GROUP);
        let text = self.layout.cells[cell].text(tokens);
        text.bytes().filter(u8::is_ascii_digit).count()
    }

    /// The party that the phrase of the label names.
    fn party_in_label(&self, place: usize) -> Option<usize> {
        self.party_of_section(self.labels[place].first()?.section.as_deref()?)
    }

    /// The party that a label before the tax number names in the same line: "Holder: Mary Stone. Tax ID: …".
    fn party_in_line(&self, mention: &Mention) -> Option<usize> {
        let tokens = &self.layout.cells[mention.cell].tokens;
        let from = mention.tokens.start.saturating_sub(MAX_WORDS_TO_LABEL);
        let colons = (from..mention.tokens.start).filter(|at| tokens[*at].colon);
        colons.rev().find_map(|colon| {
            let words = self.phrase(mention.cell, &(colon.saturating_sub(2)..colon + 1), true);
            let section = self.phrases.longest(&words)?.meaning.section.as_deref()?;
            self.party_of_section(section)
        })
    }

    /// The party whose block a cell stands in, or goes on from.
    fn party_of_block(&self, cell: usize, parties: &[Option<Party>; 2]) -> Option<usize> {
        let block = self.blocks.of_cell[cell];
        let own = parties
            .iter()
            .position(|party| party.as_ref().is_some_and(|party| party.block == block && party.cell <= cell));
        own.or_else(|| self.heading_of_block(block).map(|(party, _)| party))
    }
}
