//! Gives tax numbers to the two parties.

use super::mentions::{Form, Mention};
use super::naming::ValueLabel;
use super::parties::{ISSUER, Party, RECIPIENT};
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

/// How far above a tax number the block of its party may end, in rows and line heights, and the most cells of such a row.
const MAX_ROWS_TO_BLOCK: usize = 3;
const MAX_GAP_TO_BLOCK: f32 = 3.6;
const MAX_CELLS_IN_ROW: usize = 16;

/// A tax number that was found.
struct FoundTaxId {
    place: usize,
    weight: f64,
    /// The party that it is known to belong to.
    party: Option<usize>,
    label: Option<(usize, String)>,
    words: String,
}

impl BusinessDocument<'_> {
    pub(super) fn tax_ids(&self, parties: &[Option<Party>; 2]) -> Vec<Finding> {
        let mut keys =
            (0..self.schema.keys.len()).filter(|key| self.schema.keys[*key].normaliser == Normaliser::TaxId);
        let keys = [keys.next(), keys.next()];
        let mut findings = Vec::new();
        let mut found: Vec<FoundTaxId> = Vec::new();
        for (place, mention) in self.mentions.all.iter().enumerate() {
            let Some((weight, own, label)) = self.tax_id_weight(place, mention) else { continue };
            let party = keys
                .iter()
                .position(|key| key.is_some() && *key == own)
                .or_else(|| self.party_in_label(place))
                .or_else(|| self.party_in_line(mention))
                .or_else(|| self.party_of_block(mention.cell, parties))
                .or_else(|| self.party_above(mention.cell, parties));
            let words = self.layout.cells[mention.cell].text(self.with_groups(place, MIN_GROUP).1);
            found.push(FoundTaxId { place, weight, party, label, words });
        }
        let is_of = |one: &FoundTaxId, party: usize| one.party == Some(party);
        for one in &found {
            let FoundTaxId { place, weight, label, .. } = one;
            // If the issuer has another number elsewhere, the one that stands apart from both is the recipient's.
            let of_issuer = || found.iter().filter(|other| is_of(other, ISSUER));
            let is_other = of_issuer().next().is_some()
                && of_issuer()
                    .all(|other| other.words != one.words && !self.stand_together(*place, other.place))
                && !found.iter().any(|other| is_of(other, RECIPIENT));
            let party = one.party.unwrap_or(if is_other && label.is_some() { RECIPIENT } else { ISSUER });
            let weight = if one.party.is_some() { *weight } else { weight - 0.3 };
            let (place, label) = (*place, label.clone());
            let Some(key) = keys[party] else { continue };
            findings.push(Finding {
                key,
                spans: vec![self.with_groups(place, MIN_GROUP)],
                text: None,
                label,
                rule: "form",
                confidence: confidence(weight),
                marks: Vec::new(),
            });
        }
        findings
    }

    /// Whether two mentions stand in the same block or row: two numbers of one party do.
    fn stand_together(&self, one: usize, two: usize) -> bool {
        let (one, two) = (self.mentions.all[one].cell, self.mentions.all[two].cell);
        let cells = &self.layout.cells;
        self.blocks.of_cell[one] == self.blocks.of_cell[two]
            || (cells[one].page == cells[two].page && cells[one].row.abs_diff(cells[two].row) <= 1)
    }

    /// The party whose block stands directly above a cell, behind a gap.
    fn party_above(&self, cell: usize, parties: &[Option<Party>; 2]) -> Option<usize> {
        let it = &self.layout.cells[cell];
        let rows = it.row.saturating_sub(MAX_ROWS_TO_BLOCK)..it.row;
        let mut above = rows.rev().flat_map(|row| self.layout.rows[row].clone().take(MAX_CELLS_IN_ROW));
        let is_above = |above: &usize| {
            self.layout.count_step();
            let other = &self.layout.cells[*above];
            other.page == it.page && (other.rect.x0 - it.rect.x0).abs() <= 4.0
        };
        let above = above.find(is_above).filter(|above| self.distance(*above, cell) <= MAX_GAP_TO_BLOCK)?;
        self.party_of_block(above, parties)
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
        let in_line = || {
            // The line of an imprint names its party: "Lantern Ltd · VAT GB 123 4567 82".
            let row = self.layout.cells[cell].row;
            let names = |party: &Option<Party>| {
                let cells = party.iter().flat_map(|party| &party.cells);
                cells.into_iter().any(|cell| self.layout.cells[*cell].row == row)
            };
            match [names(&parties[ISSUER]), names(&parties[RECIPIENT])] {
                [true, false] => Some(ISSUER),
                [false, true] => Some(RECIPIENT),
                _ => None,
            }
        };
        own.or_else(|| self.heading_of_block(block).map(|(party, _)| party)).or_else(in_line)
    }
}
