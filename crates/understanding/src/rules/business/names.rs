//! Finds the lines that may be the name of a party, with what their place and form say for each of the two.

use std::collections::HashMap;
use std::ops::Range;

use super::BusinessDocument;
use super::mentions::Form;
use super::parties::{ISSUER, RECIPIENT};
use super::party_words::{
    AND_WORDS, FORMS_OF_ADDRESS, IMPRINT_WORDS, PERSONAL_FORMS, ends_name, is_attention, is_closing,
    is_contact, is_salutation, is_sender_line, names_bank, without_form_of_address,
};
use super::phrases::{Found, phrase_words};
use crate::Normaliser;
use crate::confidence::Feature;
use crate::normal::{TaxIdForm, company, fold, has_postcode, has_street};
use crate::rules::layout::Token;
use crate::rules::value_position::TokenSpan;

/// The most names that are compared.
const MAX_NAMES: usize = 60;
/// The most lines above a name in its block.
const MAX_LINES_ABOVE: usize = 3;
/// The longest name, in words.
const MAX_NAME_WORDS: usize = 9;

/// The most words of a heading before a name in its line.
const MAX_LEADING_WORDS: usize = 3;
/// The most rows from a word mark to the name below it. The lines of another column may stand between.
const MAX_ROWS_TO_NAME: usize = 3;
/// The most words of a title of the document.
const MAX_TITLE_WORDS: usize = 5;
/// The most lines between a name and the number of its company in a register.
const MAX_LINES_TO_REGISTER: usize = 5;

/// How much a label in the same line or cell says about a name.
const LABELLED: f64 = 4.5;
/// The most cells of a row that are looked at for an imprint.
const MAX_IMPRINT_CELLS: usize = 12;

/// Where the lower half of a page begins, in points, and how many rows at the end of a document are its foot.
const LOWER_HALF: f32 = 420.0;
const LAST_ROWS: usize = 6;

/// A line that may be the name of a party.
pub(super) struct NameLine {
    pub spans: Vec<TokenSpan>,
    pub name: String,
    pub label: Option<(usize, String)>,
    /// How much speaks for the issuer and for the recipient.
    pub weights: [f64; 2],
    /// What is known about the name besides.
    pub marks: Vec<(Feature, f64)>,
}

/// The name in a line.
struct NameInLine {
    span: TokenSpan,
    name: String,
    text: String,
    has_form: bool,
    /// Whether a form of address stands before it, and whether that is one of a person.
    is_addressed: bool,
    is_person: bool,
    /// The party whose heading stands before it in its line.
    party: Option<usize>,
}

impl BusinessDocument<'_> {
    pub(super) fn name_lines(&self, keys: &[Option<usize>; 2]) -> Vec<NameLine> {
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
        // The label may be repeated in another language: "Cliente / Customer:".
        let found = self
            .phrases
            .longest(&words)
            .filter(|found| found.count == words.len() || self.phrases.knows_all(&words))
            .or_else(|| self.label_of_slashes(cell, colon))?;
        let is_shared = found.meaning.shared.iter().any(|key| keys.contains(&Some(*key)));
        let party = match keys.iter().position(|key| key.is_some() && *key == found.meaning.key) {
            Some(party) => party,
            None if is_shared => self.heading_of_block(self.blocks.of_cell[cell])?.0,
            None => self.party_of_section(found.meaning.section.as_deref()?)?,
        };
        let span = if colon + 1 < it.tokens.len() {
            let is_mark = |at: &usize| matches!(it.tokens[*at].text, "·" | "•" | "|");
            let end = (colon + 2..it.tokens.len()).find(is_mark).unwrap_or(it.tokens.len());
            (cell, colon + 1..self.end_before_label(cell, colon + 1..end))
        } else {
            let next = cell + 1;
            let row = self.layout.rows[it.row].clone();
            // "Sold to: | Ship to:" are two headings side by side.
            let is_label = |cell: usize| {
                let it = &self.layout.cells[cell];
                let words = self.phrase(cell, &it.token_range(), true);
                it.tokens.iter().any(|token| token.colon) || self.phrases.knows_all(&words)
            };
            let is_name = row.contains(&next) && !is_label(next);
            is_name.then(|| (next, self.layout.cells[next].token_range()))?
        };
        // "Klant: NL0221" is the number of a customer.
        let is_code = self.mentions.at(span.0, span.1.start).is_some() && span.1.len() == 1;
        if is_code {
            return None;
        }
        let mut spans = vec![span];
        spans.extend(self.rest_of_name(spans[0].0));
        let text: Vec<String> =
            spans.iter().map(|(cell, tokens)| self.layout.cells[*cell].text(tokens.clone())).collect();
        let text = text.join(" ");
        let is_cut = spans[0].1.end < self.layout.cells[spans[0].0].tokens.len();
        let text = if is_cut { text.trim_end_matches('.') } else { &text };
        let name = company(without_form_of_address(text))?;
        let label = Some((cell, found.meaning.words.clone()));
        let mut weights = [-5.0; 2];
        weights[party] = LABELLED;
        let has_form = spans.iter().any(|span| self.has_legal_form(span));
        let marks = vec![(Feature::LegalForm, if has_form { 1.0 } else { 0.0 })];
        Some(NameLine { spans, name, label, weights, marks })
    }

    /// The end of a name before another label in its line: "Holder: Mary Stone. Tax ID: …".
    fn end_before_label(&self, cell: usize, tokens: Range<usize>) -> usize {
        let all = &self.layout.cells[cell].tokens;
        let Some(colon) = tokens.clone().find(|at| all[*at].colon) else { return tokens.end };
        let ends = |at: &usize| all[*at].text.ends_with(['.', ',', ';']) && *at > tokens.start;
        (tokens.start..colon).rev().find(ends).map_or(tokens.end, |at| at + 1)
    }

    /// The label that is one of several joined by slashes before a colon: "Guest / Customer:".
    fn label_of_slashes(&self, cell: usize, colon: usize) -> Option<Found<'_>> {
        let text = self.layout.cells[cell].text(0..colon + 1);
        let mut parts = text.split('/').filter(|_| text.contains('/')).map(phrase_words);
        parts.find_map(|words| self.phrases.longest(&words).filter(|found| found.count == words.len()))
    }

    /// The line in which a labelled name goes on: it stands between the name and the next label of the same block.
    fn rest_of_name(&self, cell: usize) -> Option<TokenSpan> {
        let block = &self.blocks.cells[self.blocks.of_cell[cell]];
        let place = block.iter().position(|line| *line == cell)?;
        let [next, behind, ..] = block[place + 1..] else { return None };
        let has_label = |line: usize| self.layout.cells[line].tokens.iter().any(|token| token.colon);
        let it = &self.layout.cells[next];
        let is_short = it.tokens.len() <= 3 && self.mentions.in_cell(next).is_empty();
        (is_short && !has_label(next) && has_label(behind) && it.tokens[0].is_capital())
            .then(|| (next, it.token_range()))
    }

    /// The words of a line that look like a name, without a form of address before them and an address behind.
    fn name_in_line(&self, cell: usize) -> Option<NameInLine> {
        let it = &self.layout.cells[cell];
        let end = it.tokens.iter().skip(1).position(ends_name).map_or(it.tokens.len(), |end| end + 1);
        let end = self.end_behind_legal_form(cell, self.end_before_address(cell, end));
        let start = it.first_word().min(end);
        let (start, party) = match self.leading_heading(cell, start..end) {
            Some((count, party)) => (start + count, Some(party)),
            None => (start, None),
        };
        let is_company = self.has_legal_form(&(cell, start..end));
        let is_form = |token: &&Token<'_>| {
            FORMS_OF_ADDRESS.contains(&token.word.as_str())
                || (!is_company && PERSONAL_FORMS.contains(&token.word.as_str()))
                || (!is_company && matches!(token.text, "M." | "D."))
        };
        let addressed = it.tokens[start..end].iter().take_while(is_form).count();
        // "M. et Mme Perrin" are two people.
        let is_joined =
            it.tokens.get(start + addressed).is_some_and(|next| AND_WORDS.contains(&next.word.as_str()));
        let addressed = if start + addressed < end && !is_joined { addressed } else { 0 };
        let is_person = addressed > 0 && !FORMS_OF_ADDRESS.contains(&it.tokens[start].word.as_str());
        let span = (cell, start + addressed..end);
        let text = it.text(span.1.clone());
        // "The Harbour Inn Ltd. Registered in England": the dot ends a sentence.
        let is_cut = end < it.tokens.len() && text.to_lowercase().ends_with(" ltd.");
        let text = if is_cut { text.trim_end_matches('.').to_owned() } else { text };
        let has_form = self.has_legal_form(&span);
        let name = company(&text).filter(|_| self.is_like_name(&span, &text, has_form))?;
        Some(NameInLine { span, name, text, has_form, is_addressed: addressed > 0, is_person, party })
    }

    /// The heading of a party that stands before a name in its line, and how many words it has: "Sold by Lantern Ltd".
    fn leading_heading(&self, cell: usize, tokens: Range<usize>) -> Option<(usize, usize)> {
        (2..=MAX_LEADING_WORDS).rev().filter(|count| tokens.start + count < tokens.end).find_map(|count| {
            let words = self.phrase(cell, &(tokens.start..tokens.start + count), true);
            let found = self.phrases.longest(&words).filter(|found| found.count == count)?;
            let section = found.meaning.section.as_deref().filter(|_| words.len() == count)?;
            let is_name = self.layout.cells[cell].tokens[tokens.start + count].is_capital();
            Some((count, self.party_of_section(section).filter(|_| is_name)?))
        })
    }

    /// A line that looks like a name, with what its place says.
    #[allow(clippy::too_many_lines)] // One observation behind the other; each adds to the same two weights.
    fn bare_name(&self, cell: usize) -> Option<NameLine> {
        let it = &self.layout.cells[cell];
        let NameInLine { span, name, text, has_form, is_addressed: has_address_form, is_person, party } =
            self.name_in_line(cell)?;
        let block = self.blocks.of_cell[cell];
        let heading = self.heading_of_block(block);
        let lines = &self.blocks.cells[block];
        let place = lines.iter().position(|line| *line == cell)?;
        // A heading, a salutation and the sender in one line may stand above the name.
        let text_of = |line: &usize| self.layout.cells[*line].text(self.layout.cells[*line].token_range());
        let is_above = |(place, line): (usize, &usize)| {
            let text = text_of(line);
            let is_labelled = self.layout.cells[*line].tokens.iter().take(4).any(|token| token.colon);
            heading.is_some_and(|(_, heading)| heading == *line)
                || (place == 0 && heading.is_some_and(|(_, heading)| heading == lines[0]))
                || is_salutation(&text)
                || is_sender_line(&text)
                || is_attention(&text)
                || (is_labelled && heading.is_some())
                || self.is_word_mark(*line, cell, has_form)
        };
        let is_heading = heading.is_some_and(|(_, heading)| heading == cell);
        let is_first = lines[..place].iter().enumerate().take(MAX_LINES_ABOVE + 1).all(is_above)
            && place <= MAX_LINES_ABOVE
            && !is_heading;
        // "St Anne's" is no street below a heading that says who it is.
        // Neither is "Condominio Via Garibaldi 14" above the street itself.
        let has_street_below = || lines.iter().skip(place + 1).take(3).any(|line| has_street(&text_of(line)));
        let is_addressed = heading.is_some() || has_address_form;
        let is_named =
            is_addressed && is_first && (!text.bytes().any(|b| b.is_ascii_digit()) || has_street_below());
        if !has_form && !is_named && has_street(&text) {
            return None;
        }
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
        if let Some(party) = party {
            weights[party] += 3.0;
            weights[1 - party] -= 4.0;
        }
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
        let in_register = lines.iter().skip(place + 1).take(MAX_LINES_TO_REGISTER);
        if is_first && in_register.clone().any(|line| self.names_register(*line)) {
            weights[ISSUER] += 1.0;
            weights[RECIPIENT] -= 0.5;
        }
        if has_postcode(&it.text(it.token_range())) {
            // A sender in one line, with its address.
            weights[ISSUER] += 0.8;
            weights[RECIPIENT] -= 1.5;
        }
        let is_imprint = has_form && self.is_imprint_of(cell);
        if is_imprint && !names_bank(&text) {
            weights[ISSUER] += 2.0;
            weights[RECIPIENT] -= 2.0;
        }
        // Below the name of a company, a person is who reads the document.
        if has_address_form && !is_person {
            weights[RECIPIENT] += 3.0;
            weights[ISSUER] -= 4.0;
        } else if is_person && is_first {
            weights[RECIPIENT] += 1.5;
            weights[ISSUER] -= 2.0;
        }
        let evidence = self.evidence_of(cell, &span, &name);
        if evidence.is_of_other {
            return None;
        }
        weights[ISSUER] += evidence.weights[ISSUER];
        weights[RECIPIENT] += evidence.weights[RECIPIENT];
        let is_top = it.page == 1 && it.row < 3;
        weights[ISSUER] += if is_top { 1.2 } else { 0.0 };
        weights[RECIPIENT] -= if is_top && heading.is_none() && party.is_none() { 0.8 } else { 0.0 };
        // The legal name stands below the word mark.
        let next = lines.get(place + 1);
        let is_mark = next.is_some_and(|next| {
            let span = (*next, self.layout.cells[*next].token_range());
            self.has_legal_form(&span) && self.is_word_mark(cell, *next, true)
        });
        weights = weights.map(|weight| weight - if is_mark { 2.5 } else { 0.0 });
        let has_mark = place > 0 && self.is_word_mark(lines[place - 1], cell, has_form);
        weights[ISSUER] += if has_mark { 1.0 } else { 0.0 };
        weights[RECIPIENT] -= if it.page > 1 || it.row > 40 { 1.0 } else { 0.0 };
        let is_likely = has_form
            || is_top
            || has_address
            || heading.is_some()
            || has_address_form
            || evidence.weights[ISSUER] >= 1.5
            || evidence.weights[RECIPIENT] >= 1.5;
        let mark = |feature: Feature, holds: bool| holds.then_some((feature, 1.0));
        let marks = [
            mark(Feature::LegalForm, has_form),
            mark(Feature::OwnDomain, evidence.has_domain),
            mark(Feature::OwnImprint, is_imprint),
            mark(Feature::AddressBelow, is_first && has_address),
            mark(Feature::Addressee, evidence.is_addressee || has_address_form),
        ];
        is_likely.then_some(NameLine {
            marks: marks.into_iter().flatten().collect(),
            spans: vec![span],
            name,
            label: heading.filter(|_| is_first).map(|(party, heading)| (heading, self.key_of_party(party))),
            weights,
        })
    }

    fn key_of_party(&self, party: usize) -> String {
        self.party_keys()[party].map_or_else(String::new, |key| self.schema.keys[key].key.clone())
    }

    /// Whether a line at the top of the page is the word mark of the company whose legal name stands below it.
    fn is_word_mark(&self, mark: usize, name: usize, has_form: bool) -> bool {
        let (it, other) = (&self.layout.cells[mark], &self.layout.cells[name]);
        let words: Vec<&str> = it.tokens.iter().map(|token| token.word.as_str()).collect();
        let is_part = words.iter().all(|word| other.tokens.iter().any(|token| token.word == *word));
        has_form
            && it.page == 1
            && it.row < 3
            && (it.row + 1..=it.row + MAX_ROWS_TO_NAME).contains(&other.row)
            && (1..=3).contains(&words.len())
            && !self.has_legal_form(&(mark, it.token_range()))
            && self.mentions.in_cell(mark).is_empty()
            && (is_part || it.height() > 1.3 * other.height())
    }

    /// Whether words have the form of a name: neither a label nor a value nor a sentence.
    fn is_like_name(&self, (cell, tokens): &TokenSpan, text: &str, has_form: bool) -> bool {
        let it = &self.layout.cells[*cell];
        let words = self.phrase(*cell, tokens, true);
        let has_colon = it.tokens[tokens.clone()].iter().any(|token| token.colon);
        let is_label = self.phrases.longest(&words).is_some_and(|found| {
            let is_title =
                found.meaning.key.is_some_and(|key| self.key_with(Normaliser::Identifier) == Some(key));
            let is_most = 2 * found.count > words.len() && found.start == 0;
            is_most || (is_title && found.count + 1 >= words.len())
        }) || self.phrases.knows_all(&words);
        // The number of a house is part of the name of a building.
        let is_number = |form: &Form| matches!(form, Form::Amount(amount) if !amount.is_money);
        let has_mention = self.mentions.in_cell(*cell).any(|mention| {
            let it = &self.mentions.all[mention];
            it.tokens.start < tokens.end && !(is_number(&it.form) && has_street(text))
        });
        !has_colon
            && (!is_label || has_form)
            && !has_mention
            && it.tokens.get(tokens.start).is_some_and(Token::is_capital)
            && (1..=MAX_NAME_WORDS).contains(&tokens.len())
            && !self.is_item_row[it.row]
            && !self.is_item_head(it.row)
            && (has_form || !self.is_title(*cell))
            && !is_contact(text)
            && !is_salutation(text)
            && !is_attention(text)
            && !is_closing(text)
            && !text.ends_with(['!', '?'])
    }

    /// Whether a line is the title of the document, as "Proof of purchase / Invoice".
    fn is_title(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let words = self.phrase(cell, &it.token_range(), true);
        let is_number = |key: usize| self.key_with(Normaliser::Identifier) == Some(key);
        let names_document = |word: &String| {
            let found = self.phrases.longest(std::slice::from_ref(word));
            found.and_then(|found| found.meaning.key).is_some_and(is_number)
        };
        words.first().is_some_and(names_document)
            || (words.len() <= MAX_TITLE_WORDS && words.iter().any(names_document))
    }

    /// Whether the line of a name has what a company must print about itself. Beside it, it counts only at the end of the
    /// document: further up, the tax number of one party may stand beside the name of the other.
    fn is_imprint_of(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let is_low = it.rect.y0 > LOWER_HALF || self.layout.rows.len() - it.row <= LAST_ROWS;
        self.is_imprint_in(cell..cell + 1) || (is_low && self.is_imprint(it.row))
    }

    /// Whether a row has what a company must print about itself: its register, its capital, its tax number.
    fn is_imprint(&self, row: usize) -> bool {
        self.is_imprint_in(self.layout.rows[row].clone())
    }

    fn is_imprint_in(&self, cells: Range<usize>) -> bool {
        let cells = cells.take(MAX_IMPRINT_CELLS);
        let mut tokens = cells.clone().flat_map(|cell| self.layout.cells[cell].tokens.iter().take(60));
        let mut mentions = cells.flat_map(|cell| self.mentions.in_cell(cell).take(60));
        tokens.any(|token| IMPRINT_WORDS.contains(&token.word.as_str()))
            || mentions.any(|mention| {
                // A number of the document may be as long as a tax number.
                matches!(&self.mentions.all[mention].form, Form::TaxId(form) if *form > TaxIdForm::Plain)
            })
    }

    /// Whether a line has the number of a company in a register.
    fn names_register(&self, cell: usize) -> bool {
        let tokens = self.layout.cells[cell].tokens.iter().take(60);
        tokens.into_iter().any(|token| IMPRINT_WORDS.contains(&token.word.as_str()))
    }

    /// The end of a name before the address in the same line: "Pennine Paper Ltd, Unit 4, Halifax HX1 1AA".
    fn end_before_address(&self, cell: usize, end: usize) -> usize {
        let tokens = &self.layout.cells[cell].tokens;
        let commas = (0..end.min(MAX_NAME_WORDS + 1)).filter(|at| tokens[*at].text.ends_with(','));
        let is_form = |at: usize| self.is_legal_form(&tokens[at]);
        let mut ends = commas.filter(|at| at + 1 < end && !is_form(at + 1)).filter(|at| {
            let rest = self.layout.cells[cell].text(at + 1..tokens.len().min(at + 16));
            let is_address =
                has_postcode(&rest) || (has_street(&rest) && rest.bytes().any(|b| b.is_ascii_digit()));
            is_address || is_form(*at)
        });
        ends.next().map_or(end, |at| at + 1)
    }

    /// The end of a name whose legal form a sentence follows: "Transports Morel SAS au capital de 150 000 €".
    fn end_behind_legal_form(&self, cell: usize, end: usize) -> usize {
        let tokens = &self.layout.cells[cell].tokens;
        let is_imprint = self.is_imprint(self.layout.cells[cell].row);
        let goes_on = |at: usize| {
            tokens.get(at + 1).is_some_and(|next| {
                let is_small = next.text.starts_with(char::is_lowercase) && next.text != "de";
                // "GmbH & Co. KG": the legal form goes on. In an imprint, anything else is no part of the name.
                let is_joined = next.text.contains(['&', '+'])
                    || AND_WORDS.contains(&next.word.as_str())
                    || self.is_legal_form(next)
                    || next.word == "co";
                is_small || IMPRINT_WORDS.contains(&next.word.as_str()) || (is_imprint && !is_joined)
            })
        };
        let mut forms = (1..end.min(MAX_NAME_WORDS))
            .filter(|at| tokens[*at].is_capital() && self.is_legal_form(&tokens[*at]));
        forms.find(|at| goes_on(*at)).map_or(end, |at| at + 1)
    }

    pub(super) fn is_legal_form(&self, token: &Token<'_>) -> bool {
        let Some(issuer) = self.party_keys()[ISSUER] else { return false };
        self.schema.keys[issuer].cues.contains(&token.word)
    }

    /// Whether words end with the legal form of a company, a cue of the issuer.
    pub(super) fn has_legal_form(&self, (cell, tokens): &TokenSpan) -> bool {
        let words = &self.layout.cells[*cell].tokens[tokens.clone()];
        words.len() > 1 && words.iter().rev().take(2).any(|token| self.is_legal_form(token))
    }
}
