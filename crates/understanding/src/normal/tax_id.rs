//! Normalises tax numbers, by their form in each country. Where a country has check digits, they tell how certain the
//! form is; a wrong one is no reason to refuse what the document says.

use super::identifier;

/// How certain it is that some characters are a tax number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TaxIdForm {
    /// Digits that only a label makes a tax number.
    Plain,
    /// A form that nothing else has, but without right check digits.
    Shaped,
    /// A form of its own with right check digits.
    Checked,
}

/// The countries whose tax numbers begin with letters: letters, and the number of characters behind them.
const PREFIXES: [(&str, std::ops::RangeInclusive<usize>); 20] = [
    ("ATU", 8..=8),
    ("BE", 10..=10),
    ("CHE", 9..=9),
    ("CZ", 8..=10),
    ("DE", 9..=9),
    ("DK", 8..=8),
    ("EL", 9..=9),
    ("ES", 9..=9),
    ("FI", 8..=8),
    ("FR", 11..=11),
    ("GB", 9..=12),
    ("IE", 8..=9),
    ("IT", 11..=11),
    ("LU", 8..=8),
    ("NL", 12..=12),
    ("NO", 9..=9),
    ("PL", 10..=10),
    ("PT", 9..=9),
    ("RO", 2..=10),
    ("SE", 12..=12),
];

/// The countries whose tax numbers have letters among their digits.
const WITH_LETTERS: [&str; 5] = ["ES", "FR", "GB", "IE", "NL"];

/// A tax number without spaces. Words of another form may be one as well, if they are a code.
pub fn tax_id(words: &str) -> Option<String> {
    let code: String = words.split_whitespace().collect::<String>().to_uppercase();
    let code = code.trim_matches(|c: char| !c.is_alphanumeric());
    match tax_id_form(code) {
        // Marks are no part of a form that a country gives: "CHE-123.456.788", "A-28173409".
        Some(TaxIdForm::Shaped | TaxIdForm::Checked) => Some(code.replace(['.', '-', '/'], "")),
        Some(TaxIdForm::Plain) => Some(code.to_owned()),
        None => identifier(words),
    }
}

/// The form of a code, if tax numbers have it.
pub(crate) fn tax_id_form(code: &str) -> Option<TaxIdForm> {
    let bare: String = code.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_uppercase();
    let is_plain = code.chars().all(|c| c.is_ascii_alphanumeric() || ".-/".contains(c));
    if !is_plain || bare.len() > 15 {
        return None;
    }
    if is_spanish(&bare) {
        return Some(if is_spanish_checked(&bare) { TaxIdForm::Checked } else { TaxIdForm::Shaped });
    }
    for (prefix, length) in &PREFIXES {
        let Some(rest) = bare.strip_prefix(prefix).filter(|rest| length.contains(&rest.len())) else {
            continue;
        };
        let digits = rest.bytes().filter(u8::is_ascii_digit).count();
        let most_letters = if WITH_LETTERS.contains(prefix) { 3 } else { 0 };
        if digits + most_letters < rest.len() || digits < 7 {
            continue;
        }
        let is_checked = match *prefix {
            "DE" => is_german(rest),
            "FR" => is_french(rest),
            "IT" => is_luhn(rest),
            "NL" => is_dutch(rest),
            "PT" => is_portuguese(rest),
            "GB" => is_british(rest),
            "ES" => is_spanish_checked(rest),
            _ => false,
        };
        return Some(if is_checked { TaxIdForm::Checked } else { TaxIdForm::Shaped });
    }
    let is_dutch_form = bare.len() == 12 && bare.as_bytes()[9] == b'B' && is_dutch(&bare);
    if is_dutch_form {
        return Some(TaxIdForm::Checked);
    }
    let is_number = bare.bytes().all(|b| b.is_ascii_digit());
    (is_number && (8..=13).contains(&bare.len())).then_some(TaxIdForm::Plain)
}

fn digits(code: &str) -> Vec<u32> {
    code.chars().filter_map(|c| c.to_digit(10)).collect()
}

fn is_spanish(code: &str) -> bool {
    let bytes = code.as_bytes();
    let are_digits = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_digit);
    bytes.len() == 9
        && ((bytes[0].is_ascii_uppercase() && are_digits(1..8) && bytes[8].is_ascii_alphanumeric())
            || (are_digits(0..8) && bytes[8].is_ascii_uppercase()))
}

fn is_spanish_checked(code: &str) -> bool {
    let bytes = code.as_bytes();
    if !is_spanish(code) {
        return false;
    }
    let letter = |number: u32| b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize];
    let middle = digits(&code[1..8]).into_iter().fold(0, |all, digit| all * 10 + digit);
    match bytes[0] {
        b'0'..=b'9' => code[..8].parse().is_ok_and(|number| letter(number) == bytes[8]),
        first @ b'X'..=b'Z' => letter(u32::from(first - b'X') * 10_000_000 + middle) == bytes[8],
        _ => {
            let doubled = |digit: u32| digit * 2 / 10 + digit * 2 % 10;
            let of = |(place, digit): (usize, u32)| if place % 2 == 0 { doubled(digit) } else { digit };
            let sum: u32 = digits(&code[1..8]).into_iter().enumerate().map(of).sum();
            let check = (10 - sum % 10) % 10;
            u32::from(bytes[8]) == u32::from(b'0') + check || bytes[8] == b"JABCDEFGHI"[check as usize]
        }
    }
}

fn is_german(rest: &str) -> bool {
    let all = digits(rest);
    let mut product = 10;
    for digit in all.iter().take(8) {
        let sum = (digit + product) % 10;
        product = (2 * if sum == 0 { 10 } else { sum }) % 11;
    }
    all.len() == 9 && (11 - product) % 10 == all[8]
}

fn is_french(rest: &str) -> bool {
    let (key, number) = rest.split_at(2);
    let number: Option<u64> = number.parse().ok();
    number.is_some_and(|number| key.parse() == Ok((12 + 3 * (number % 97)) % 97))
}

fn is_luhn(rest: &str) -> bool {
    let doubled = |digit: u32| digit * 2 / 10 + digit * 2 % 10;
    let of = |(place, digit): (usize, u32)| if place % 2 == 1 { doubled(digit) } else { digit };
    rest.bytes().all(|b| b.is_ascii_digit())
        && digits(rest).into_iter().rev().enumerate().map(of).sum::<u32>() % 10 == 0
}

fn weighted(all: &[u32], first: u32) -> u32 {
    all.iter().zip((1..=first).rev()).map(|(digit, weight)| digit * weight).sum()
}

fn is_dutch(rest: &str) -> bool {
    let all = digits(&rest[..9]);
    all.len() == 9 && rest.as_bytes()[9] == b'B' && weighted(&all[..8], 9) % 11 == all[8]
}

fn is_portuguese(rest: &str) -> bool {
    let all = digits(rest);
    all.len() == 9 && {
        let check = 11 - weighted(&all[..8], 9) % 11;
        all[8] == if check > 9 { 0 } else { check }
    }
}

fn is_british(rest: &str) -> bool {
    let all = digits(rest);
    all.len() >= 9 && {
        let sum = weighted(&all[..7], 8) + all[7] * 10 + all[8];
        sum.is_multiple_of(97) || (sum + 55).is_multiple_of(97)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_tell_how_certain_a_tax_number_is() {
        use TaxIdForm::{Checked, Plain, Shaped};
        for (code, wanted) in [
            ("B12345674", Some(Checked)),
            ("B-12345674", Some(Checked)),
            ("B12345678", Some(Shaped)),
            ("12345678Z", Some(Checked)),
            ("ESB12345674", Some(Checked)),
            ("DE811234565", Some(Checked)),
            ("DE811234566", Some(Shaped)),
            ("DEL28022024", None),
            ("FR11123456782", Some(Checked)),
            ("IT01234567897", Some(Checked)),
            ("NL123456782B01", Some(Checked)),
            ("PT501234560", Some(Checked)),
            ("GB123456782", Some(Checked)),
            ("CHE-123.456.789", Some(Shaped)),
            ("501234560", Some(Plain)),
            ("2024/0042", Some(Plain)),
            ("F-20099", None),
            ("Bahnhofstr", None),
            ("", None),
        ] {
            assert_eq!(tax_id_form(code), wanted, "{code}");
        }
        assert_eq!(tax_id("DE 811 234 565").as_deref(), Some("DE811234565"));
        assert_eq!(tax_id("none"), None);
    }
}
