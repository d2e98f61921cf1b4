//! Finds the issuer and the recipient of a business document: by labels and headings, otherwise the letterhead against
//! the address. [`super::names`] finds the names that they may have.

use super::names::NameLine;
use super::party_words::{PERSONAL_FORMS, is_salutation};
use super::weights::confidence;
use super::{BusinessDocument, Finding};
use crate::Normaliser;
use crate::confidence::Feature;
use crate::normal::{fold, folded_words};
use crate::rules::layout::Token;

/// How much more must speak for a name than for the second best one, so that the choice is clear.
const RIVAL_MARGIN: f64 = 1.5;

/// How much more must speak for a name, so that the choice could not be clearer.
const MOST_MARGIN: f64 = 6.0;

/// The most words of a heading, or of a line that addresses somebody.
const MAX_HEADING_WORDS: usize = 6;

/// How far the lines below a heading may be indented, in points, and how far below it they begin, in line heights.
const MAX_INDENT: f32 = 24.0;
const MAX_DISTANCE_TO_HEADING: f32 = 2.2;

/// The most cells of a row among which the line above a cell is looked for.
const MAX_CELLS_ABOVE: usize = 16;

/// The two parties: issuer and recipient.
pub(super) const ISSUER: usize = 0;
pub(super) const RECIPIENT: usize = 1;

/// A party, and the block that its name stands in.
pub(super) struct Party {
    pub finding: Finding,
    /// Another name that it may have, if the choice is close.
    pub rival: Option<Finding>,
    pub block: usize,
    /// The cell of the name.
    pub cell: usize,
    /// The cells in which its name stands.
    pub cells: Vec<usize>,
}

impl BusinessDocument<'_> {
    /// The issuer and the recipient.
    pub(super) fn parties(&self) -> [Option<Party>; 2] {
        let keys = self.party_keys();
        let lines = self.name_lines(&keys);
        let words: Vec<Vec<String>> = lines.iter().map(|line| folded_words(&line.name)).collect();
        let mut best: ([Option<usize>; 2], f64) = ([None, None], 0.0);
        let places = || (0..lines.len()).map(Some).chain([None]);
        for issuer in places() {
            for recipient in places() {
                let same = |one: usize, two: usize| is_same_party(&words[one], &words[two]);
                if issuer.zip(recipient).is_some_and(|(one, two)| same(one, two)) {
                    continue;
                }
                let weight =
                    |line: Option<usize>, party: usize| line.map_or(0.0, |line| lines[line].weights[party]);
                let both = weight(issuer, ISSUER) + weight(recipient, RECIPIENT);
                if both > best.1 {
                    best = ([issuer, recipient], both);
                }
            }
        }
        // The second best name for the same party says how clear the choice is.
        let is_chosen =
            |name: &str| best.0.iter().flatten().any(|chosen| fold(&lines[*chosen].name) == fold(name));
        let second = |party: usize| {
            let others = lines.iter().filter(|line| !is_chosen(&line.name) && line.weights[party] > 0.0);
            others.max_by(|one, two| one.weights[party].total_cmp(&two.weights[party]))
        };
        let finding = |key: usize, line: &NameLine, weight: f64| Finding {
            key,
            spans: line.spans.clone(),
            text: Some(line.name.clone()),
            label: line.label.clone(),
            rule: "letterhead",
            confidence: confidence(weight),
            marks: line.marks.clone(),
        };
        let party = |party: usize| {
            let (chosen, key) = (best.0[party]?, keys[party]?);
            let line = &lines[if party == ISSUER { self.legal_name(&lines, chosen) } else { chosen }];
            let second = second(party);
            let margin = line.weights[party] - second.map_or(0.0, |second| second.weights[party]);
            let rival = second.filter(|_| margin < RIVAL_MARGIN);
            let cell = line.spans[0].0;
            let own = folded_words(&line.name);
            let is_own = |other: &&NameLine| is_same_party(&own, &folded_words(&other.name));
            let mut finding_of = finding(key, line, margin);
            // It must differ from the other names, and the party from the other one.
            let of_role = lines[chosen].weights[party] - lines[chosen].weights[1 - party];
            let clear = (margin.min(of_role) / MOST_MARGIN).clamp(-1.0, 1.0);
            let is_lonely = best.0.iter().flatten().count() < 2;
            finding_of.marks.push((Feature::ClearChoice, clear));
            finding_of.marks.push((Feature::LonelyName, if is_lonely { 1.0 } else { 0.0 }));
            Some(Party {
                finding: finding_of,
                rival: rival.map(|rival| finding(key, rival, -margin)),
                block: self.blocks.of_cell[cell],
                cell,
                cells: lines.iter().filter(is_own).map(|line| line.spans[0].0).collect(),
            })
        };
        [party(ISSUER), party(RECIPIENT)]
    }

    /// The line with the same name and its legal form, if the chosen one has none: "THE HARBOUR INN" at the top of the page,
    /// "The Harbour Inn Ltd" in its imprint.
    fn legal_name(&self, lines: &[NameLine], chosen: usize) -> usize {
        let words = |line: &NameLine| folded_words(&line.name);
        let own = words(&lines[chosen]);
        if own.is_empty() || lines[chosen].spans.iter().any(|span| self.has_legal_form(span)) {
            return chosen;
        }
        let is_legal = |line: &NameLine| {
            let other = words(line);
            other.len() > own.len()
                && other.len() <= own.len() + 3
                && other.starts_with(&own)
                && line.spans.iter().any(|span| self.has_legal_form(span))
        };
        lines.iter().position(is_legal).unwrap_or(chosen)
    }

    pub(super) fn party_keys(&self) -> [Option<usize>; 2] {
        let mut keys = (0..self.schema.keys.len())
            .filter(|key| self.schema.keys[*key].normaliser == Normaliser::Company);
        [keys.next(), keys.next()]
    }

    /// The party that a section is about.
    pub(super) fn party_of_section(&self, section: &str) -> Option<usize> {
        let is_it = |key: &Option<usize>| {
            key.is_some_and(|key| self.schema.keys[key].section.as_deref() == Some(section))
        };
        self.party_keys().iter().position(is_it)
    }

    /// The party whose heading or label opens a block, and the cell of the heading.
    pub(super) fn heading_of_block(&self, block: usize) -> Option<(usize, usize)> {
        let cell = *self.blocks.cells[block].first()?;
        if let Some(party) = self.heading_of_cell(cell) {
            return Some((party, cell));
        }
        // The lines below a heading may be indented.
        let it = &self.layout.cells[cell];
        let mut above = self.layout.rows[it.row.checked_sub(1)?].clone().take(MAX_CELLS_ABOVE);
        let is_above = |above: &usize| {
            let other = &self.layout.cells[*above];
            let indent = it.rect.x0 - other.rect.x0;
            other.page == it.page
                && (0.0..=MAX_INDENT).contains(&indent)
                && self.distance(*above, cell) <= MAX_DISTANCE_TO_HEADING
                && self.blocks.cells[self.blocks.of_cell[*above]].last() == Some(above)
        };
        let above = above.find(is_above)?;
        Some((self.heading_of_cell(above)?, above))
    }

    /// Whether a line begins a block: the heading of a party, or somebody who is addressed.
    pub(super) fn opens_block(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        if it.tokens.len() > MAX_HEADING_WORDS {
            return false;
        }
        let is_title = |token: &Token<'_>| {
            let is_form = PERSONAL_FORMS.contains(&token.word.as_str()) || matches!(token.text, "M." | "D.");
            is_form && token.is_capital() && !token.colon
        };
        let is_addressed = it.tokens.len() > 1
            && is_title(&it.tokens[0])
            && self.mentions.in_cell(cell).is_empty()
            && !is_salutation(&it.text(it.token_range()))
            && self.is_below_values(cell);
        is_addressed || self.heading_of_cell(cell).is_some()
    }

    /// Whether the line above a cell has values, and so is no name of a company that a person belongs to.
    fn is_below_values(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let Some(above) = it.row.checked_sub(1) else { return false };
        let mut above = self.layout.rows[above].clone().take(MAX_CELLS_ABOVE);
        let is_above = |above: &usize| {
            let other = &self.layout.cells[*above];
            other.page == it.page && (other.rect.x0 - it.rect.x0).abs() <= 4.0
        };
        above.find(is_above).is_some_and(|above| {
            let has_label = self.layout.cells[above].tokens.iter().take(4).any(|token| token.colon);
            has_label || !self.mentions.in_cell(above).is_empty()
        })
    }

    /// The party whose heading a cell is.
    fn heading_of_cell(&self, cell: usize) -> Option<usize> {
        let it = &self.layout.cells[cell];
        if let Some(section) = self.phrases.preposition(&it.tokens) {
            return self.party_of_section(section);
        }
        let words = self.phrase(cell, &it.token_range(), true);
        let found = self.phrases.longest(&words)?;
        // Other words of labels say the same again: "Cedente/prestatore (fornitore)".
        let is_whole =
            self.phrases.knows_all(&words) || it.tokens[found.count.min(it.tokens.len()) - 1].colon;
        let section = found.meaning.section.as_deref().filter(|_| is_whole && found.start == 0)?;
        self.party_of_section(section)
    }
}

/// Whether two names are those of one party: "Harbour Inn" and "The Harbour Inn Ltd" are not told apart by their legal form.
fn is_same_party(one: &[String], two: &[String]) -> bool {
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    short == long || (short.len() > 1 && long.len() <= short.len() + 3 && long.starts_with(short))
}
