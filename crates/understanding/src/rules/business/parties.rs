//! Finds the issuer and the recipient of a business document: by labels and headings, otherwise the letterhead against
//! the address.

use std::collections::HashMap;

use super::weights::confidence;
use super::{BusinessDocument, Proposal};
use crate::Normaliser;
use crate::normal::{company, fold, has_postcode, has_street};
use crate::rules::layout::Token;
use crate::rules::value_position::TokenSpan;

/// The most names that are compared.
const MAX_NAMES: usize = 60;
/// The longest name, in words.
const MAX_NAME_WORDS: usize = 9;

/// The two parties: issuer and recipient.
const ISSUER: usize = 0;
const RECIPIENT: usize = 1;

/// A party, and the block that its name stands in.
pub(super) struct Party {
    pub proposal: Proposal,
    pub block: usize,
    /// The cell of the name.
    pub cell: usize,
}

/// A line that may be the name of a party.
struct NameLine {
    span: TokenSpan,
    name: String,
    label: Option<(usize, String)>,
    /// How much speaks for the issuer and for the recipient.
    weights: [f64; 2],
}

impl BusinessDocument<'_> {
    /// The issuer and the recipient.
    pub(super) fn parties(&self) -> [Option<Party>; 2] {
        let keys = self.party_keys();
        let lines = self.name_lines(&keys);
        let mut best: ([Option<usize>; 2], f64) = ([None, None], 0.0);
        let places = || (0..lines.len()).map(Some).chain([None]);
        for issuer in places() {
            for recipient in places() {
                let same = |one: usize, two: usize| fold(&lines[one].name) == fold(&lines[two].name);
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
        let party = |party: usize| {
            let (line, key) = (&lines[best.0[party]?], keys[party]?);
            let proposal = Proposal {
                key,
                spans: vec![line.span.clone()],
                text: Some(line.name.clone()),
                label: line.label.clone(),
                rule: "letterhead",
                confidence: confidence(line.weights[party]),
            };
            Some(Party { proposal, block: self.blocks.of_cell[line.span.0], cell: line.span.0 })
        };
        [party(ISSUER), party(RECIPIENT)]
    }

    fn party_keys(&self) -> [Option<usize>; 2] {
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
        let it = &self.layout.cells[cell];
        let words = self.phrase(cell, &it.token_range(), true);
        let found = self.phrases.longest(&words)?;
        let is_whole = found.count == words.len() || it.tokens[found.count.min(it.tokens.len()) - 1].colon;
        let section = found.meaning.section.as_deref().filter(|_| is_whole && found.start == 0)?;
        Some((self.party_of_section(section)?, cell))
    }

    fn name_lines(&self, keys: &[Option<usize>; 2]) -> Vec<NameLine> {
        let mut lines = Vec::new();
        for cell in 0..self.layout.cells.len() {
            if lines.len() >= MAX_NAMES {
                break;
            }
            lines.extend(self.labelled_name(cell, keys).or_else(|| self.bare_name(cell)));
        }
        let mut counts: HashMap<String, u8> = HashMap::new();
        for line in &lines {
            let count = counts.entry(fold(&line.name)).or_default();
            *count = count.saturating_add(1);
        }
        for line in &mut lines {
            if counts[&fold(&line.name)] > 1 {
                line.weights[ISSUER] += 1.5;
                line.weights[RECIPIENT] -= 0.5;
            }
        }
        lines
    }

    /// A name behind its label, in the same cell or the next: "Bill to: Mary Stone", "Cliente | Bicicletas Norte".
    fn labelled_name(&self, cell: usize, keys: &[Option<usize>; 2]) -> Option<NameLine> {
        let it = &self.layout.cells[cell];
        let colon = it.tokens.iter().position(|token| token.colon)?;
        let words = self.phrase(cell, &(0..colon + 1), true);
        let found = self.phrases.longest(&words).filter(|found| found.count == words.len())?;
        let is_shared = found.meaning.shared.iter().any(|key| keys.contains(&Some(*key)));
        let party = match keys.iter().position(|key| key.is_some() && *key == found.meaning.key) {
            Some(party) => party,
            None if is_shared => self.heading_of_block(self.blocks.of_cell[cell])?.0,
            None => self.party_of_section(found.meaning.section.as_deref()?)?,
        };
        let span = if colon + 1 < it.tokens.len() {
            (cell, colon + 1..it.tokens.len())
        } else {
            let next = cell + 1;
            let row = self.layout.rows[it.row].clone();
            row.contains(&next).then(|| (next, self.layout.cells[next].token_range()))?
        };
        let name = company(&self.layout.cells[span.0].text(span.1.clone()))?;
        let label = Some((cell, found.meaning.words.clone()));
        let mut weights = [-5.0; 2];
        weights[party] = 4.5;
        Some(NameLine { span, name, label, weights })
    }

    /// A line that looks like a name, with what its place says.
    fn bare_name(&self, cell: usize) -> Option<NameLine> {
        let it = &self.layout.cells[cell];
        let end = it.tokens.iter().skip(1).position(ends_name).map_or(it.tokens.len(), |end| end + 1);
        let span = (cell, it.first_word().min(end)..end);
        let text = it.text(span.1.clone());
        let words = self.phrase(cell, &span.1, true);
        let has_colon = it.tokens[span.1.clone()].iter().any(|token| token.colon);
        let is_label = self
            .phrases
            .longest(&words)
            .is_some_and(|found| 2 * found.count > words.len() && found.start == 0);
        let first = it.tokens.get(span.1.start)?;
        let has_mention =
            self.mentions.in_cell(cell).any(|mention| self.mentions.all[mention].tokens.start < end);
        let has_form = self.has_legal_form(&span);
        let is_name = !has_colon
            && (!is_label || has_form)
            && !has_mention
            && first.is_capital()
            && (1..=MAX_NAME_WORDS).contains(&span.1.len())
            && !self.is_item_row[it.row]
            && !is_contact(&text);
        let name = company(&text).filter(|_| is_name && (has_form || !has_street(&text)))?;
        let block = self.blocks.of_cell[cell];
        let heading = self.heading_of_block(block);
        let lines = &self.blocks.cells[block];
        let place = lines.iter().position(|line| *line == cell)?;
        let is_first = place == usize::from(heading.is_some());
        let mut weights = [0.0; 2];
        if has_form {
            weights[ISSUER] += 1.6;
            weights[RECIPIENT] += 1.0;
        }
        match heading {
            Some((party, _)) if is_first => {
                weights[party] += 3.0;
                weights[1 - party] -= 4.0;
            }
            Some((party, _)) => weights[1 - party] -= 4.0,
            None => {}
        }
        let text_of = |line: &usize| self.layout.cells[*line].text(self.layout.cells[*line].token_range());
        let below: Vec<String> = lines.iter().skip(place + 1).take(5).map(text_of).collect();
        let has_address = below.iter().take(3).any(|line| has_postcode(line) || has_street(line));
        if is_first && has_address {
            weights[RECIPIENT] += 1.4;
            weights[ISSUER] += 0.6;
        }
        if !is_first {
            weights = weights.map(|weight| weight - 1.5);
        }
        if below.iter().any(|line| is_contact(line)) && is_first {
            weights[ISSUER] += 1.0;
            weights[RECIPIENT] -= 0.8;
        }
        if has_postcode(&it.text(it.token_range())) {
            // A sender in one line, with its address.
            weights[ISSUER] += 0.8;
            weights[RECIPIENT] -= 1.5;
        }
        let is_top = it.page == 1 && it.row < 3;
        weights[ISSUER] += if is_top { 1.2 } else { 0.0 };
        weights[RECIPIENT] -= if it.page > 1 || it.row > 40 { 1.0 } else { 0.0 };
        let is_likely = has_form || is_top || has_address || heading.is_some();
        is_likely.then_some(NameLine {
            span,
            name,
            label: heading.filter(|_| is_first).map(|(party, heading)| {
                (
                    heading,
                    self.party_keys()[party]
                        .map_or_else(String::new, |key| self.schema.keys[key].key.clone()),
                )
            }),
            weights,
        })
    }

    /// Whether words end with the legal form of a company, a cue of the issuer.
    fn has_legal_form(&self, (cell, tokens): &TokenSpan) -> bool {
        let Some(issuer) = self.party_keys()[ISSUER] else { return false };
        let words = &self.layout.cells[*cell].tokens[tokens.clone()];
        let is_cue = |word: &str| self.schema.keys[issuer].cues.iter().any(|cue| cue == word);
        words.len() > 1 && words.iter().rev().take(2).any(|token| is_cue(&token.word))
    }
}

/// Whether a mark ends the name of a company. An ampersand is part of it.
fn ends_name(token: &Token<'_>) -> bool {
    token.is_separator() && !token.text.contains(['&', '+'])
}

/// Whether a line is a way to reach somebody.
fn is_contact(line: &str) -> bool {
    let folded = fold(line);
    let starts = ["tel", "fax", "phone", "www", "http", "mail", "e-mail", "email", "mobil", "movil"];
    folded.contains('@') || folded.contains("www.") || starts.iter().any(|start| folded.starts_with(start))
}
