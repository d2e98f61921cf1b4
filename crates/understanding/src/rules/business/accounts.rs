//! Finds accounts whose number goes on in another cell: at the end of a line, or behind a gap.

use super::mentions::Form;
use super::weights;
use super::{BusinessDocument, Finding};
use crate::Normaliser;
use crate::normal::iban;
use crate::rules::layout::Token;

/// The countries that have such accounts, and how long they are there.
const LENGTHS: [(&str, usize); 24] = [
    ("AD", 24),
    ("AT", 20),
    ("BE", 16),
    ("CH", 21),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("ES", 24),
    ("FI", 18),
    ("FR", 27),
    ("GB", 22),
    ("HU", 28),
    ("IE", 22),
    ("IT", 27),
    ("LI", 21),
    ("LU", 20),
    ("MC", 27),
    ("NL", 18),
    ("NO", 15),
    ("PL", 28),
    ("PT", 25),
    ("RO", 24),
    ("SE", 24),
    ("SM", 27),
];
/// The most groups of an account in one cell.
const MAX_GROUPS: usize = 10;
/// The most rows below in which an account may go on, and the most cells that are tried there.
const MAX_ROWS_DOWN: usize = 2;
const MAX_CELLS: usize = 8;
/// The largest distance to the line in which an account goes on, in line heights.
const MAX_DISTANCE: f32 = 2.4;

impl BusinessDocument<'_> {
    /// Accounts that begin in one cell and end in another. Their country tells how long they are.
    pub(super) fn broken_accounts(&self) -> Vec<Finding> {
        let Some(key) = self.key_with(Normaliser::Iban) else { return Vec::new() };
        let mut findings = Vec::new();
        for cell in 0..self.layout.cells.len() {
            let tokens = &self.layout.cells[cell].tokens;
            let first = tokens.len().saturating_sub(MAX_GROUPS);
            let begins = |at: &usize| {
                self.layout.count_step();
                let is_known = self
                    .mentions
                    .at(cell, *at)
                    .is_some_and(|mention| matches!(self.mentions.all[mention].form, Form::Iban));
                !is_known && length_of(tokens[*at].text).is_some()
            };
            let found = (first..tokens.len()).filter(begins).find_map(|at| self.account_from(cell, at));
            findings.extend(found.map(|spans| Finding {
                key,
                spans,
                text: None,
                label: None,
                rule: "form",
                confidence: weights::INSIDE + weights::CHECKED,
                marks: Vec::new(),
            }));
        }
        findings
    }

    /// The spans of the account that begins at a token and goes on behind its cell.
    fn account_from(&self, cell: usize, at: usize) -> Option<Vec<super::TokenSpan>> {
        let it = &self.layout.cells[cell];
        let length = length_of(it.tokens[at].text)?;
        let begun: String = code(&it.tokens[at..])?;
        let missing = length.checked_sub(begun.len()).filter(|missing| *missing > 0)?;
        let row = self.layout.rows[it.row].clone();
        let beside = (cell + 1..row.end).take(1);
        let below = (it.row + 1..self.layout.rows.len()).take(MAX_ROWS_DOWN);
        let below = below.flat_map(|row| self.layout.rows[row].clone().take(MAX_CELLS)).filter(|other| {
            let other = &self.layout.cells[*other];
            let distance = (other.rect.y0 - it.rect.y0) / it.height().min(other.height());
            other.page == it.page && distance <= MAX_DISTANCE && other.rect.x0 < it.rect.x1
        });
        beside.chain(below).find_map(|other| {
            self.layout.count_step();
            let tokens = &self.layout.cells[other].tokens;
            let count = (1..=tokens.len().min(MAX_GROUPS))
                .find(|count| code(&tokens[..*count]).is_some_and(|rest| rest.len() >= missing))?;
            let whole = begun.clone() + &code(&tokens[..count])?;
            (whole.len() == length && iban(&whole).is_some())
                .then(|| vec![(cell, at..it.tokens.len()), (other, 0..count)])
        })
    }
}

/// How long the account is that begins with a word.
fn length_of(word: &str) -> Option<usize> {
    let word = word.trim_start_matches('(');
    let is_start = word.len() <= 34 && word.bytes().skip(2).take(2).all(|byte| byte.is_ascii_digit());
    let country = word.get(..2).filter(|_| is_start && word.is_ascii())?;
    LENGTHS.iter().find(|(known, _)| *known == country).map(|(_, length)| *length)
}

/// The letters and figures of some words, if they have nothing else but marks.
fn code(tokens: &[Token<'_>]) -> Option<String> {
    let mut all = String::new();
    for token in tokens {
        let bare = token.text.trim_matches(|c: char| ".,;()-".contains(c));
        let is_code = bare.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        if !is_code {
            return None;
        }
        all.push_str(bare);
    }
    Some(all)
}
