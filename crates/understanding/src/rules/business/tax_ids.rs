//! Gives tax numbers to the two parties.

use super::mentions::{Form, Mention};
use super::parties::Party;
use super::weights::{self, confidence};
use super::{BusinessDocument, Proposal};
use crate::Normaliser;
use crate::normal::TaxIdForm;

/// The fewest digits of a tax number that has no known form.
const MIN_DIGITS: usize = 7;

impl BusinessDocument<'_> {
    pub(super) fn tax_ids(&self, parties: &[Option<Party>; 2]) -> Vec<Proposal> {
        let mut keys =
            (0..self.schema.keys.len()).filter(|key| self.schema.keys[*key].normaliser == Normaliser::TaxId);
        let keys = [keys.next(), keys.next()];
        let mut proposals = Vec::new();
        for (place, mention) in self.mentions.all.iter().enumerate() {
            let Some((weight, own, label)) = self.tax_id_weight(place, mention) else { continue };
            let party = keys
                .iter()
                .position(|key| key.is_some() && *key == own)
                .or_else(|| self.party_in_label(place))
                .or_else(|| self.party_of_block(mention.cell, parties))
                .unwrap_or(0);
            let Some(key) = keys[party] else { continue };
            proposals.push(Proposal {
                key,
                spans: vec![self.span_of(place)],
                text: None,
                label,
                rule: "form",
                confidence: confidence(weight),
            });
        }
        proposals
    }

    /// How much speaks for a mention being a tax number, the key that its label names, and the label.
    #[allow(clippy::type_complexity)] // Used once.
    fn tax_id_weight(
        &self,
        place: usize,
        mention: &Mention,
    ) -> Option<(f64, Option<usize>, Option<(usize, String)>)> {
        let name = self.names[place].first();
        let is_tax_id = |key: &usize| self.schema.keys[*key].normaliser == Normaliser::TaxId;
        let named = name.filter(|name| name.meaning.shared.iter().chain(&name.meaning.key).any(is_tax_id));
        // A label of something else, such as the number of the document.
        let is_other = named.is_none() && name.is_some_and(|name| name.meaning.section.is_none());
        let form = match &mention.form {
            Form::TaxId(TaxIdForm::Checked) => weights::CHECKED,
            Form::TaxId(TaxIdForm::Shaped) if !is_other => weights::SHAPED,
            Form::TaxId(_) if named.is_some() => 0.0,
            Form::Code if named.is_some() && self.digits_of(mention) >= MIN_DIGITS => -0.5,
            _ => return None,
        };
        let label = named.map(|name| (name.cell, name.meaning.words.clone()));
        let weight =
            form + named.map_or(weights::UNLABELLED + if is_other { -1.5 } else { 1.0 }, |name| name.weight);
        Some((weight, named.and_then(|name| name.meaning.key), label))
    }

    fn digits_of(&self, mention: &Mention) -> usize {
        let text = self.layout.cells[mention.cell].text(mention.tokens.clone());
        text.bytes().filter(u8::is_ascii_digit).count()
    }

    /// The party that the phrase of the label names.
    fn party_in_label(&self, place: usize) -> Option<usize> {
        self.party_of_section(self.names[place].first()?.section.as_deref()?)
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
