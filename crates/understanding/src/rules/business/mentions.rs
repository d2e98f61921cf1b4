//! Finds everything on the pages that has the form of a value.

use std::ops::Range;

use crate::normal::{
    DateOrder, TaxIdForm, currency, decimal, iban, is_currency_sign, is_series_of_code, tax_id_form,
    without_dashed_cents,
};
use crate::rules::layout::{Cell, DocumentLayout, Token};
use crate::rules::visit_start;

/// The most words of a sum, an account and a tax number.
const MAX_AMOUNT_WORDS: usize = 6;
const MAX_IBAN_WORDS: usize = 10;
const MAX_TAX_ID_WORDS: usize = 4;
/// Digits of a number that is no sum unless it has decimals or a currency.
const MIN_CODE_DIGITS: usize = 8;

/// A sum of money.
#[derive(Clone, Copy, Debug)]
pub(super) struct Amount {
    pub cents: i64,
    /// Whether it has decimals or a currency. Other numbers may be quantities or codes.
    pub is_money: bool,
    pub currency: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub(super) enum Form {
    Amount(Amount),
    Percent,
    Date,
    Iban,
    TaxId(TaxIdForm),
    /// A word with a digit.
    Code,
}

/// Words that have the form of a value.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub cell: usize,
    pub tokens: Range<usize>,
    pub form: Form,
}

/// All mentions of a document.
pub(super) struct Mentions {
    pub all: Vec<Mention>,
    /// The range of mentions of each cell.
    by_cell: Vec<Range<usize>>,
}

impl Mentions {
    /// `ends_label` tells whether words end with a label.
    pub fn of(
        layout: &DocumentLayout<'_>,
        order: DateOrder,
        ends_label: &dyn Fn(&[Token<'_>]) -> bool,
    ) -> Self {
        let mut mentions = Self { all: Vec::new(), by_cell: Vec::new() };
        for (place, cell) in layout.cells.iter().enumerate() {
            let start = mentions.all.len();
            let mut at = 0;
            while at < cell.tokens.len() {
                layout.count_step();
                at = match mention_at(cell, at, order, ends_label) {
                    Some((form, end)) => {
                        mentions.all.push(Mention { cell: place, tokens: at..end, form });
                        end
                    }
                    None => at + 1,
                };
            }
            mentions.by_cell.push(start..mentions.all.len());
        }
        mentions
    }

    pub fn in_cell(&self, cell: usize) -> Range<usize> {
        self.by_cell[cell].clone()
    }

    /// The mention that contains a token. The mentions of a cell are in order and do not overlap.
    pub fn at(&self, cell: usize, token: usize) -> Option<usize> {
        let in_cell = self.in_cell(cell);
        let ended = self.all[in_cell.clone()].partition_point(|mention| mention.tokens.end <= token);
        let mention = in_cell.start + ended;
        (mention < in_cell.end && self.all[mention].tokens.contains(&token)).then_some(mention)
    }
}

fn joined(tokens: &[Token<'_>]) -> String {
    tokens.iter().map(|token| token.text).collect()
}

/// The mention that starts at a token, and where it ends.
fn mention_at(
    cell: &Cell<'_>,
    at: usize,
    order: DateOrder,
    ends_label: &dyn Fn(&[Token<'_>]) -> bool,
) -> Option<(Form, usize)> {
    let tokens = &cell.tokens[at..];
    let first = tokens[0].text;
    let has_digit = first.chars().any(|c| c.is_ascii_digit());
    // "antes del 31 de julio": the word before the day belongs to the label.
    let begins_later = !has_digit
        && tokens.get(1).is_some_and(|next| next.text.starts_with(|c: char| c.is_ascii_digit()))
        && visit_start::date_at(&cell.tokens, at + 1, order).is_some_and(|(_, count)| count > 2);
    if let Some((_, count)) = visit_start::date_at(&cell.tokens, at, order).filter(|_| !begins_later) {
        return Some((Form::Date, at + count));
    }
    if let Some(count) = percent(tokens) {
        return Some((Form::Percent, at + count));
    }
    let opening = first.trim_start_matches(['(', '[']);
    if opening.chars().take(2).all(|c| c.is_ascii_uppercase()) && opening.len() >= 2 {
        let longest = |most: usize, is_it: &dyn Fn(&str) -> bool| {
            (1..=most.min(tokens.len())).rev().find(|count| is_it(&joined(&tokens[..*count])))
        };
        if let Some(count) = longest(MAX_IBAN_WORDS, &|words| {
            // Words of a sentence may have right check digits by chance.
            let is_code = !words.bytes().any(|b| b.is_ascii_lowercase()) && !words.starts_with("IBAN");
            is_code && iban(words).is_some()
        }) {
            return Some((Form::Iban, at + count));
        }
        let is_tax_id = |words: &str| tax_id_form(words).is_some_and(|form| form > TaxIdForm::Plain);
        if let Some(count) = longest(MAX_TAX_ID_WORDS, &is_tax_id)
            && tokens[1..count].iter().all(|token| token.text.chars().any(|c| c.is_ascii_digit()))
        {
            let form = tax_id_form(&joined(&tokens[..count]))?;
            return Some((Form::TaxId(form), at + count));
        }
    }
    let is_series = is_series_of_code(first)
        && !tokens[0].colon
        && tokens.get(1).is_some_and(is_code_of_series)
        && visit_start::date_at(&cell.tokens, at + 1, order).is_none()
        && !ends_label(&cell.tokens[..=at])
        && amount_at(cell, at).is_none();
    if is_series {
        return Some((Form::Code, at + 2));
    }
    if let Some((amount, count)) = amount_at(cell, at) {
        return Some((Form::Amount(amount), at + count));
    }
    // A code in brackets explains the word before it: "Invoice (380)". So does the rate behind a tax: "VAT@20%".
    let is_rate =
        first.starts_with(char::is_alphabetic) && first.trim_end_matches([')', '.', ',']).ends_with('%');
    if !has_digit || is_rate || (first.starts_with('(') && first.ends_with(')')) {
        return None;
    }
    let bare = first.trim_matches(|c: char| !c.is_alphanumeric());
    Some((tax_id_form(bare).map_or(Form::Code, Form::TaxId), at + 1))
}

/// Whether a word is the number of a series, whose letters stand before it: `2023-117` of `RE 2023-117`. A sum is none.
fn is_code_of_series(token: &Token<'_>) -> bool {
    let text = token.text.trim_end_matches(['.', ',', ';']);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits >= 2 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"/-".contains(&b))
}

/// How many tokens a percentage takes.
fn percent(tokens: &[Token<'_>]) -> Option<usize> {
    let number =
        |text: &str| text.trim_matches(['(', ')']).bytes().all(|b| b.is_ascii_digit() || b",.".contains(&b));
    let first = tokens[0].text.trim_matches(['(', ')', ',', ';', '@']);
    if let Some(bare) = first.strip_suffix('%') {
        return (!bare.is_empty() && number(bare)).then_some(1);
    }
    let next = tokens.get(1)?.text.trim_matches(['(', ')', ',', ';', ':']);
    let starts = tokens[0].text.starts_with(|c: char| c.is_ascii_digit() || c == '(');
    (starts && number(tokens[0].text) && next == "%").then_some(2)
}

/// The sum that starts at a token, and how many tokens it takes.
fn amount_at(cell: &Cell<'_>, at: usize) -> Option<(Amount, usize)> {
    let tokens = &cell.tokens[at..];
    // A dash is a minus sign at the start of a cell. Between words it separates them.
    let is_dash = is_minus(tokens[0].text);
    if is_dash && cell.tokens[..at].iter().any(|token| !token.is_separator()) {
        return None;
    }
    (1..=MAX_AMOUNT_WORDS.min(tokens.len())).rev().find_map(|count| {
        let last = tokens[count - 1].text;
        let is_inner_end = count < tokens.len() && tokens[count].text.starts_with('%');
        if is_inner_end || (is_dash && count == 1) || (is_minus(last) && count > 1) {
            return None;
        }
        Some((amount(&tokens[..count])?, count))
    })
}

fn is_minus(text: &str) -> bool {
    matches!(text, "-" | "−" | "–" | "—")
}

/// The sum that these tokens are, all of them.
fn amount(tokens: &[Token<'_>]) -> Option<Amount> {
    let signs = ['-', '−', '–'];
    let (mut number, mut unit) = (String::new(), None);
    let (mut is_negative, mut opens, mut closes, mut has_sign) = (false, false, false, false);
    let mut has_cents = false;
    for token in tokens {
        let dashed = without_dashed_cents(token.text);
        has_cents |= dashed.is_some();
        let mut text = dashed.as_deref().unwrap_or(token.text);
        if let Some(rest) = text.strip_prefix('(') {
            (opens, text) = (true, rest);
        }
        if let Some(rest) = text.trim_end_matches(['.', ',', ';', '*']).strip_suffix(')') {
            (closes, text) = (true, rest);
        }
        let bare = text.trim_matches(signs);
        is_negative |= bare.len() < text.len();
        let start = bare.find(|c: char| c.is_ascii_digit()).unwrap_or(bare.len());
        let end = bare.rfind(|c: char| c.is_ascii_digit()).map_or(start, |end| end + 1);
        for part in [&bare[..start], bare[end..].trim_start_matches(['.', ',', '*'])] {
            let part = part.trim_matches(signs);
            is_negative |= bare[..start].contains(signs) && start < end;
            if part.is_empty() {
                continue;
            }
            // "FR-003" is a code, and "s/ 8.960,92" says what a tax is on.
            let is_code = bare[..start].ends_with(signs)
                && part.starts_with(char::is_alphabetic)
                && !bare[start..end].contains(['.', ',']);
            if !is_currency_sign(part) || is_code || part == "s/" {
                return None;
            }
            has_sign = true;
            unit = unit.or(currency(part));
        }
        let digits = &bare[start..end];
        if digits.is_empty() {
            continue;
        }
        if !number.is_empty() && !continues(&number, digits) {
            return None;
        }
        number.push_str(digits);
    }
    let figures = number.bytes().filter(u8::is_ascii_digit).count();
    let has_decimals = number.len() >= 4 && matches!(number.as_bytes()[number.len() - 3], b'.' | b',');
    let is_money = has_decimals || has_cents || has_sign;
    if figures == 0 || figures > 13 || (!is_money && number.len() >= MIN_CODE_DIGITS) {
        return None;
    }
    if opens && !closes && tokens.len() == 1 && !is_money {
        return None;
    }
    let value: f64 = decimal(&number)?.parse().ok()?;
    #[allow(clippy::cast_possible_truncation)] // At most 13 digits.
    let cents = (value * 100.0).round() as i64;
    let cents = if is_negative || (opens && closes) { -cents } else { cents };
    // A whole number in brackets explains the word before it.
    (is_money || !opens).then_some(Amount { cents, is_money, currency: unit })
}

/// Whether digits continue a number whose thousands are separated by spaces.
fn continues(number: &str, digits: &str) -> bool {
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    number.len() <= 9 && number.bytes().all(|b| b.is_ascii_digit()) && count == 3
}
