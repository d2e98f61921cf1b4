//! Normalises numbers, sums of money, currencies and bank accounts.

use super::{fold, folded_words};

/// Signs, codes and names of currencies, Spanish and English.
const CURRENCIES: [(&str, &str); 17] = [
    ("€", "EUR"),
    ("eur", "EUR"),
    ("euro", "EUR"),
    ("euros", "EUR"),
    ("$", "USD"),
    ("us$", "USD"),
    ("usd", "USD"),
    ("dolar", "USD"),
    ("dolares", "USD"),
    ("dollar", "USD"),
    ("dollars", "USD"),
    ("£", "GBP"),
    ("gbp", "GBP"),
    ("libras", "GBP"),
    ("pounds", "GBP"),
    ("chf", "CHF"),
    ("mxn", "MXN"),
];
/// The longest number, in digits.
const MAX_DIGITS: usize = 15;

/// A number with a decimal point and without thousands separators. Signs and names of currencies may stand around it;
/// percentages beside it are ignored.
pub fn decimal(words: &str) -> Option<String> {
    let mut number = None;
    for word in words.split_whitespace() {
        let word = without_currency(word);
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
    parse_number(number?.trim_matches(['(', ')', ':', '*', '=']))
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
    let is_currency = |part: &str| part.is_empty() || currency(part).is_some();
    if start >= end {
        return if is_currency(word) { "" } else { word };
    }
    let (before, behind) = (&word[..start], &word[end..]);
    if is_currency(before) && is_currency(behind) { word[start..end].trim_matches(signs) } else { word }
}

fn parse_number(word: &str) -> Option<String> {
    let (sign, digits) = match word.strip_suffix('-') {
        Some(digits) => ("-", digits),
        None => match word.strip_prefix(['-', '−']) {
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
    let point = decimals_behind(digits);
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
    !first.is_empty() && rest.iter().all(|part| part.len() == 3) && (rest.is_empty() || first.len() <= 3)
}

/// A sum of money with two decimals.
pub fn sum(words: &str) -> Option<String> {
    let number = decimal(words)?;
    let (whole, cents) = number.split_once('.').unwrap_or((&number, ""));
    match cents.len() {
        0 => Some(format!("{whole}.00")),
        1 => Some(format!("{whole}.{cents}0")),
        _ => Some(number),
    }
}

/// The code of a currency, as ISO 4217.
pub fn currency(words: &str) -> Option<&'static str> {
    let word = fold(words.trim().trim_end_matches('.'));
    let word = word.trim_matches(['(', ')']);
    let all = CURRENCIES.iter();
    all.clone()
        .find(|(known, _)| *known == word)
        .or_else(|| all.clone().find(|(_, code)| fold(code) == word))
        .map(|(_, code)| *code)
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
            ("(21%) 16,49 €", Some("16.49")),
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
    }

    #[test]
    fn currencies_accounts_and_booleans_have_one_normal_form() {
        for (words, wanted) in
            [("€", Some("EUR")), ("Euros.", Some("EUR")), ("usd", Some("USD")), ("x", None), ("", None)]
        {
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
