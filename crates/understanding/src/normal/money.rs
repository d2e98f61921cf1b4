//! Normalises numbers, sums of money, currencies and bank accounts.

use super::{fold, folded_words};

/// Signs and names of currencies, Spanish and English. The codes themselves are known as well.
const CURRENCIES: [(&str, &str); 24] = [
    ("€", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("us$", "USD"),
    ("u$s", "USD"),
    ("us dollar", "USD"),
    ("us dollars", "USD"),
    ("dolar estadounidense", "USD"),
    ("dolares estadounidenses", "USD"),
    ("mx$", "MXN"),
    ("pesos mexicanos", "MXN"),
    ("c$", "CAD"),
    ("ca$", "CAD"),
    ("canadian dollars", "CAD"),
    ("a$", "AUD"),
    ("au$", "AUD"),
    ("australian dollars", "AUD"),
    ("r$", "BRL"),
    ("£", "GBP"),
    ("libras", "GBP"),
    ("pounds", "GBP"),
    ("s/", "PEN"),
    ("¥", "JPY"),
    ("fr", "CHF"),
];
/// The codes of currencies that documents name by their code.
const CODES: [&str; 24] = [
    "EUR", "USD", "GBP", "CHF", "MXN", "ARS", "BOB", "BRL", "CLP", "COP", "CRC", "DOP", "GTQ", "PEN", "UYU",
    "CAD", "AUD", "NZD", "JPY", "CNY", "SEK", "NOK", "DKK", "PLN",
];
/// Signs and names that several currencies share. They may stand beside a number, but do not say which one it is.
const SHARED_SIGNS: [&str; 7] = ["$", "dolar", "dolares", "dollar", "dollars", "peso", "pesos"];
/// The longest number, in digits.
const MAX_DIGITS: usize = 15;

/// A number with a decimal point and without thousands separators. Signs and names of currencies may stand around it;
/// percentages beside it are ignored. A number in brackets is negative.
pub fn decimal(words: &str) -> Option<String> {
    number_with(words, parse_number)
}

/// Every number that these words can mean. `1.234` is two, since the dot may separate thousands or decimals.
pub(crate) fn decimal_readings(words: &str) -> Vec<String> {
    let mut readings: Vec<String> = Vec::new();
    for mark in ['.', ','] {
        // Decimals begin once. The other mark separates thousands.
        let is_possible = |word: &str| word.matches(mark).count() <= 1;
        let read =
            |word: &str| parse_number_with(word, |digits| digits.find(mark)).filter(|_| is_possible(word));
        readings.extend(number_with(words, read).filter(|number| !readings.contains(number)));
    }
    readings
}

/// The number in these words, read by `parse`.
fn number_with(words: &str, parse: impl Fn(&str) -> Option<String>) -> Option<String> {
    let words = words.trim();
    let inner = words.strip_prefix('(').and_then(|words| words.strip_suffix(')'));
    let inner = inner.filter(|inner| !inner.contains(['(', ')', '%']));
    if let Some(inner) = inner {
        let number = number_without_brackets(inner, parse)?;
        let is_zero = number.bytes().all(|b| !(b'1'..=b'9').contains(&b));
        return Some(if is_zero || number.starts_with('-') { number } else { format!("-{number}") });
    }
    number_without_brackets(words, parse)
}

fn number_without_brackets(words: &str, parse: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut number = None;
    for word in words.split_whitespace() {
        let dashed = without_dashed_cents(word);
        let word = without_currency(dashed.as_deref().unwrap_or(word));
        if word.is_empty() || word.trim_end_matches([')', ':', '.', ',']).ends_with('%') {
            continue;
        }
        // A space may separate thousands.
        number = match (number, word) {
            (None, word) => Some(word.to_owned()),
            (Some(before), word) if continues_number(&before, word) => Some(before + word),
            _ => return None,
        };
    }
    parse(number?.trim_matches(['(', ')', ':', '*', '=']))
}

/// A word without the dashes that stand for no cents: `600,-` and `600.--` are 600. None without such dashes.
pub(crate) fn without_dashed_cents(word: &str) -> Option<String> {
    let dashes = ['-', '−', '–', '—'];
    let (point, _) = word.char_indices().find(|(at, mark)| {
        matches!(mark, ',' | '.')
            && word[..*at].ends_with(|c: char| c.is_ascii_digit())
            && word[at + 1..].starts_with(dashes)
    })?;
    let rest = word[point + 1..].trim_start_matches(dashes);
    (!rest.contains(|c: char| c.is_ascii_digit())).then(|| format!("{}{rest}", &word[..point]))
}

/// Whether a word continues a number: `1 234,50`.
fn continues_number(before: &str, word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let is_plain = before.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    is_plain && digits == 3 && word[3..].bytes().all(|b| b.is_ascii_digit() || b == b',' || b == b'.')
}

fn without_currency(word: &str) -> &str {
    let signs = ['€', '$', '£'];
    let word = word.trim_matches(signs);
    let start = word.find(|c: char| c.is_ascii_digit() || "+-,.(".contains(c)).unwrap_or(word.len());
    let end = word.rfind(|c: char| c.is_ascii_digit() || "%),.:*-".contains(c));
    let end = end.map_or(0, |end| end + word[end..].chars().next().map_or(0, char::len_utf8));
    let is_currency = |part: &str| part.is_empty() || is_currency_sign(part);
    if start >= end {
        return if is_currency(word) { "" } else { word };
    }
    let (before, behind) = (&word[..start], &word[end..]);
    if is_currency(before) && is_currency(behind) { word[start..end].trim_matches(signs) } else { word }
}

fn parse_number(word: &str) -> Option<String> {
    parse_number_with(word, decimals_behind)
}

/// A number, whose decimals begin where `point` says.
fn parse_number_with(word: &str, point: impl Fn(&str) -> Option<usize>) -> Option<String> {
    let signs = ['-', '−', '–'];
    let (sign, digits) = match word.strip_suffix(signs) {
        Some(digits) => ("-", digits),
        None => match word.strip_prefix(signs) {
            Some(digits) => ("-", digits),
            None => ("", word.strip_prefix('+').unwrap_or(word)),
        },
    };
    let digits = digits.trim_end_matches(['.', ',']);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || ".,'’".contains(c));
    if !is_number || digits.bytes().filter(u8::is_ascii_digit).count() > MAX_DIGITS {
        return None;
    }
    let point = point(digits);
    let (whole, rest) = point.map_or((digits, ""), |at| (&digits[..at], &digits[at + 1..]));
    if !is_in_thousands(whole) || !rest.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if rest.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{rest}"))
}

/// The index of the decimal separator. The last of the dots and commas is one, unless it stands alone before three
/// digits or occurs several times; then it separates thousands.
fn decimals_behind(digits: &str) -> Option<usize> {
    let last = digits.rfind(['.', ','])?;
    let mark = digits[last..].chars().next()?;
    let other = if mark == '.' { ',' } else { '.' };
    let is_several = digits.matches(mark).count() > 1;
    let has_other = digits.contains(other) || digits.contains(['\'', '’']);
    let behind = digits.len() - last - 1;
    let before = digits[..last].trim_start_matches('0').len();
    let is_thousands = !has_other && behind == 3 && (1..=3).contains(&before);
    (!is_several && !is_thousands).then_some(last)
}

/// Whether the separators stand exactly between the thousands.
fn is_in_thousands(whole: &str) -> bool {
    let mut parts = whole.split(|c: char| !c.is_ascii_digit());
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let is_start = rest.is_empty() || (first.len() <= 3 && !first.starts_with('0'));
    !first.is_empty() && is_start && rest.iter().all(|part| part.len() == 3)
}

/// A sum of money with two decimals.
pub fn sum(words: &str) -> Option<String> {
    decimal(words).map(with_cents)
}

/// Every sum that these words can mean. No sum has a third decimal, unless nothing else fits: `1.234` is 1234.
pub(crate) fn sum_readings(words: &str) -> Vec<String> {
    let readings = decimal_readings(words);
    let has_cents = |number: &&String| number.split_once('.').is_none_or(|(_, cents)| cents.len() <= 2);
    let sums: Vec<String> = readings.iter().filter(has_cents).cloned().collect();
    if sums.is_empty() { readings } else { sums }.into_iter().map(with_cents).collect()
}

fn with_cents(number: String) -> String {
    let (whole, cents) = number.split_once('.').unwrap_or((&number, ""));
    match cents.len() {
        0 => format!("{whole}.00"),
        1 => format!("{whole}.{cents}0"),
        _ => number,
    }
}

/// The code of a currency, as ISO 4217. A sign that several currencies share, such as `$`, has none.
pub fn currency(words: &str) -> Option<&'static str> {
    let word = currency_word(words);
    let by_code = CODES.iter().copied().find(|code| fold(code) == word);
    by_code.or_else(|| CURRENCIES.iter().find(|(known, _)| *known == word).map(|(_, code)| *code))
}

/// Whether this is the sign or the name of a currency, be it one or several.
pub(crate) fn is_currency_sign(words: &str) -> bool {
    currency(words).is_some() || SHARED_SIGNS.contains(&currency_word(words).as_str())
}

fn currency_word(words: &str) -> String {
    fold(words.trim().trim_matches(['(', ')'])).trim_end_matches('.').to_owned()
}

/// An IBAN without spaces, if its check digits are right.
pub fn iban(words: &str) -> Option<String> {
    let code: String = words.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let code = code.strip_prefix("IBAN").unwrap_or(&code).to_owned();
    let (country, check) = (code.get(..2)?, code.get(2..4)?);
    let is_one = (15..=34).contains(&code.len())
        && country.bytes().all(|b| b.is_ascii_uppercase())
        && check.bytes().all(|b| b.is_ascii_digit());
    let rest = code[4..].bytes().chain(code[..4].bytes()).fold(0_u32, |rest, b| match b {
        b'0'..=b'9' => (rest * 10 + u32::from(b - b'0')) % 97,
        letter => (rest * 100 + u32::from(letter - b'A') + 10) % 97,
    });
    (is_one && rest == 1).then_some(code)
}

/// `true` or `false`, from a word for yes or no.
pub fn yes_no(words: &str) -> Option<&'static str> {
    match folded_words(words).first()?.as_str() {
        "si" | "yes" | "true" | "y" | "s" | "verdadero" | "x" => Some("true"),
        "no" | "false" | "n" | "falso" => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_normal_form() {
        for (words, wanted) in [
            ("78,50 €", Some("78.50")),
            ("€78.50", Some("78.50")),
            ("1.234,50 EUR", Some("1234.50")),
            ("1,234.50", Some("1234.50")),
            ("1 234,50", Some("1234.50")),
            ("12.345.678", Some("12345678")),
            ("1.234", Some("1234")),
            ("0.234", Some("0.234")),
            ("1,5", Some("1.5")),
            ("1234.567", Some("1234.567")),
            ("1'234.50", Some("1234.50")),
            ("-3,00 €", Some("-3.00")),
            ("3,00-", Some("-3.00")),
            ("3,00−", Some("-3.00")),
            ("–3,00 €", Some("-3.00")),
            ("600,- €", Some("600")),
            ("€ 1.250,--", Some("1250")),
            ("600.—", Some("600")),
            ("-600,-", Some("-600")),
            ("(21%) 16,49 €", Some("16.49")),
            ("(3,00)", Some("-3.00")),
            ("(1.234,50 €)", Some("-1234.50")),
            ("($12.50)", Some("-12.50")),
            ("$ 12.50", Some("12.50")),
            ("12,50 dólares", Some("12.50")),
            ("(-3,00)", Some("-3.00")),
            ("(0,00)", Some("0.00")),
            ("(21%)", None),
            ("0x10", None),
            ("1e3", None),
            ("21 % 16,49 €", None),
            ("21% 16,49", Some("16.49")),
            ("007", Some("7")),
            ("0", Some("0")),
            ("1.23.4", None),
            ("12,34,56", None),
            ("3 kg", None),
            ("doce", None),
            ("", None),
            ("03/04/2024", None),
            ("1234567890123456", None),
        ] {
            assert_eq!(decimal(words).as_deref(), wanted, "{words}");
        }
        assert_eq!(sum("78,5 €").as_deref(), Some("78.50"));
        assert_eq!(sum("1.234").as_deref(), Some("1234.00"));
        assert_eq!(sum_readings("1.234"), ["1234.00"], "no sum has a third decimal");
        assert_eq!(sum_readings("0,125"), ["0.125"], "unless nothing else fits");
    }

    #[test]
    fn a_typed_number_has_every_reading_that_fits() {
        for (words, wanted) in [
            ("1.234", &["1.234", "1234"][..]),
            ("1,234", &["1234", "1.234"]),
            ("-1.234", &["-1.234", "-1234"]),
            ("(1.234)", &["-1.234", "-1234"]),
            ("1.234,56", &["1234.56"]),
            ("1,234.56", &["1234.56"]),
            ("1.234.567", &["1234567"]),
            ("1234", &["1234"]),
            ("1 234,5", &["1234.5"]),
            ("12.5", &["12.5"]),
            ("12,5", &["12.5"]),
            ("0.500", &["0.500"]),
            ("1234.567", &["1234.567"]),
            ("0x10", &[]),
            ("1e3", &[]),
            ("NaN", &[]),
            ("doce", &[]),
        ] {
            assert_eq!(decimal_readings(words), wanted, "{words}");
        }
    }

    #[test]
    fn currencies_accounts_and_booleans_have_one_normal_form() {
        for (words, wanted) in [
            ("€", Some("EUR")),
            ("Euros.", Some("EUR")),
            ("usd", Some("USD")),
            ("US$", Some("USD")),
            ("MX$", Some("MXN")),
            ("(COP)", Some("COP")),
            ("$", None),
            ("dólares", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(currency(words), wanted, "{words}");
        }
        assert_eq!(iban("ES91 2100 0418 4502 0005 1332").as_deref(), Some("ES9121000418450200051332"));
        assert_eq!(iban("IBAN: GB82-WEST-1234-5698-7654-32").as_deref(), Some("GB82WEST12345698765432"));
        for wrong in ["ES91 2100 0418 4502 0005 1333", "ES91", "", "ñé91", "1234567890123456789"] {
            assert_eq!(iban(wrong), None, "{wrong}");
        }
        assert_eq!((yes_no("Sí"), yes_no("No."), yes_no("tal vez")), (Some("true"), Some("false"), None));
    }
}
