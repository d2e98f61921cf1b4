//! What stands around a name and tells whose it is: a website, a closing, a person below it, the label of something else.

use super::BusinessDocument;
use super::parties::{ISSUER, RECIPIENT};
use super::party_words::{
    PERSONAL_FORMS, is_attention, is_closing, is_salutation, is_sender_line, tells_trade,
};
use crate::normal::fold;
use crate::rules::layout::DocumentLayout;
use crate::rules::value_position::TokenSpan;

/// The most domains that are looked at.
const MAX_DOMAINS: usize = 12;
/// The fewest letters of a domain, and of a word of a name, that can be told from others.
const MIN_LETTERS: usize = 4;
/// Parts of domains that name nobody, and those of mailboxes that anybody may have.
const COMMON_PARTS: [&str; 34] = [
    "www",
    "mail",
    "info",
    "com",
    "co",
    "org",
    "net",
    "shop",
    "online",
    "email",
    "gmail",
    "googlemail",
    "hotmail",
    "outlook",
    "yahoo",
    "icloud",
    "live",
    "gmx",
    "web",
    "freenet",
    "t-online",
    "orange",
    "wanadoo",
    "free",
    "sfr",
    "laposte",
    "libero",
    "virgilio",
    "alice",
    "telefonica",
    "sapo",
    "ziggo",
    "kpnmail",
    "proton",
];
/// The most rows between a closing and the name of who signs.
const MAX_ROWS_TO_SIGNATURE: usize = 5;
/// How far below its sender an address in a window may begin, in line heights.
const MAX_DISTANCE_TO_SENDER: f32 = 4.5;
/// The most rows and cells that are looked at above a name.
const MAX_ROWS_UP: usize = 3;
const MAX_CELLS_IN_ROW: usize = 16;

/// What the surroundings of a name tell.
#[derive(Default)]
pub(super) struct Evidence {
    /// How much speaks for the issuer and for the recipient.
    pub weights: [f64; 2],
    /// Whether a website or mailbox has the name.
    pub has_domain: bool,
    /// Whether a person is named below it, or its place is that of who is written to.
    pub is_addressee: bool,
    /// Whether it is the value of a label that names no party.
    pub is_of_other: bool,
}

impl BusinessDocument<'_> {
    /// What the surroundings of a name tell.
    pub(super) fn evidence_of(&self, cell: usize, span: &TokenSpan, name: &str) -> Evidence {
        let mut evidence = Evidence { is_of_other: self.is_of_other(cell), ..Evidence::default() };
        if self.has_domain(cell, span) {
            evidence.has_domain = true;
            evidence.weights[ISSUER] += 2.0;
            evidence.weights[RECIPIENT] -= 2.0;
        }
        if self.is_below_closing(cell) {
            evidence.weights[ISSUER] += 1.0;
            evidence.weights[RECIPIENT] -= 3.0;
        }
        if self.names_person_below(cell) {
            evidence.is_addressee = true;
            evidence.weights[RECIPIENT] += 1.5;
            evidence.weights[ISSUER] -= 1.0;
        }
        if self.is_below_sender(cell, name) {
            evidence.is_addressee = true;
            evidence.weights[RECIPIENT] += 1.5;
            evidence.weights[ISSUER] -= 1.0;
        }
        let it = &self.layout.cells[cell];
        if tells_trade(&it.text(it.token_range())) && !self.has_legal_form(span) && !evidence.has_domain {
            evidence.weights = [-3.0; 2];
        }
        evidence
    }

    /// Whether a website or a mailbox has the name, and does not stand in the block of the recipient.
    fn has_domain(&self, cell: usize, (place, tokens): &TokenSpan) -> bool {
        let words = self.layout.cells[*place].tokens[tokens.clone()].iter();
        let words: Vec<String> = words
            .filter(|token| !self.is_legal_form(token))
            .map(|token| letters(&token.word))
            .filter(|word| !word.is_empty())
            .collect();
        let whole = words.concat();
        let is_it = |domain: &str| {
            whole.contains(domain)
                || (whole.len() >= MIN_LETTERS && domain.contains(&whole))
                || words.iter().any(|word| word.len() > MIN_LETTERS && domain == word)
                || longest_run(&words, domain) > MIN_LETTERS + 1
        };
        let block = self.blocks.of_cell[cell];
        self.domains.iter().any(|(other, domain)| {
            self.layout.count_step();
            let other = self.blocks.of_cell[*other];
            let is_recipients = || self.heading_of_block(other).is_some_and(|(party, _)| party == RECIPIENT);
            is_it(domain) && !(is_recipients() || (other == block && self.heading_of_block(block).is_some()))
        })
    }

    /// Whether a name stands below the closing of a letter.
    fn is_below_closing(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let mut rows = (0..it.row).rev().take(MAX_ROWS_TO_SIGNATURE);
        rows.any(|row| {
            self.layout.count_step();
            let first = self.layout.rows[row].start;
            let other = &self.layout.cells[first];
            other.page == it.page
                && (other.rect.x0 - it.rect.x0).abs() <= 60.0
                && other.tokens.len() <= 8
                && is_closing(&other.text(other.token_range()))
        })
    }

    /// Whether the line below a name in its block is a person, or who should read the document.
    fn names_person_below(&self, cell: usize) -> bool {
        let lines = &self.blocks.cells[self.blocks.of_cell[cell]];
        let Some(place) = lines.iter().position(|line| *line == cell) else { return false };
        lines.get(place + 1).is_some_and(|line| {
            let it = &self.layout.cells[*line];
            let text = it.text(it.token_range());
            let is_person = it.tokens.len() > 1
                && (PERSONAL_FORMS.contains(&it.tokens[0].word.as_str())
                    || matches!(it.tokens[0].text, "M." | "D."));
            self.mentions.in_cell(*line).is_empty()
                && (is_attention(&text) || (is_person && !is_salutation(&text)))
        })
    }

    /// Whether the sender in one line stands directly above a name, as it does above an address in a window.
    fn is_below_sender(&self, cell: usize, name: &str) -> bool {
        let it = &self.layout.cells[cell];
        let rows = (0..it.row).rev().take(MAX_ROWS_UP);
        let mut above = rows.flat_map(|row| self.layout.rows[row].clone().take(MAX_CELLS_IN_ROW));
        let is_above = |above: &usize| {
            self.layout.count_step();
            let other = &self.layout.cells[*above];
            other.page == it.page && (other.rect.x0 - it.rect.x0).abs() <= 6.0
        };
        above.find(is_above).is_some_and(|above| {
            let other = &self.layout.cells[above];
            let text = other.text(other.token_range());
            self.distance(above, cell) <= MAX_DISTANCE_TO_SENDER
                && is_sender_line(&text)
                && !text.starts_with(name)
        })
    }

    /// Whether a name is the value of a label that names no party: "Contact: Mary Stone".
    fn is_of_other(&self, cell: usize) -> bool {
        let row = self.layout.rows[self.layout.cells[cell].row].clone();
        let Some(left) = cell.checked_sub(1).filter(|left| row.contains(left)) else { return false };
        let it = &self.layout.cells[left];
        let words = self.phrase(left, &it.token_range(), true);
        let found = self.phrases.longest(&words).filter(|found| found.count == words.len());
        let names_party = found.as_ref().is_some_and(|found| {
            let of_party = found.meaning.key.is_some_and(|key| self.party_keys().contains(&Some(key)));
            of_party || found.meaning.section.is_some() || !found.meaning.shared.is_empty()
        });
        let has_colon = it.tokens.last().is_some_and(|token| token.colon);
        // A title such as "Invoice" may stand beside the letterhead.
        let names_nothing = found.as_ref().is_some_and(|found| found.meaning.key.is_none());
        (has_colon || names_nothing) && !names_party && self.mentions.in_cell(left).is_empty()
    }
}

/// The most letters of a domain that words of a name, one behind the other, begin.
fn longest_run(words: &[String], domain: &str) -> usize {
    let mut most = 0;
    for start in 0..words.len() {
        let mut run = String::new();
        for word in words[start..].iter().take(4) {
            run.push_str(word);
            if word.len() > 2 && domain.starts_with(&run) {
                most = most.max(run.len());
            }
        }
    }
    most
}

/// The letters and figures of a word.
fn letters(word: &str) -> String {
    fold(word).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The names in the addresses of websites and mailboxes of a document, each with its cell.
pub(super) fn domains(layout: &DocumentLayout<'_>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (place, cell) in layout.cells.iter().enumerate() {
        for token in &cell.tokens {
            layout.count_step();
            let text = token.text.trim_matches(|c: char| "()<>,;".contains(c));
            let is_address = text.contains('@') || text.to_ascii_lowercase().contains("www.");
            if !is_address || found.len() >= MAX_DOMAINS {
                continue;
            }
            let domain = fold(text.rsplit('@').next().unwrap_or(text));
            let domain = domain.trim_start_matches("https").trim_start_matches("http");
            let domain = domain.trim_start_matches([':', '/']).split('/').next().unwrap_or_default();
            let parts: Vec<&str> = domain.split('.').collect();
            let known = parts[..parts.len().saturating_sub(1)].iter();
            let longest = known.filter(|part| !COMMON_PARTS.contains(part)).max_by_key(|part| part.len());
            let bare: String = longest.map(|part| letters(part)).unwrap_or_default();
            if bare.len() >= MIN_LETTERS {
                found.push((place, bare));
            }
        }
    }
    found
}
