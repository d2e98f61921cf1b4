//! Tells texts of the United States, whose dates have the month first and whose dollars are US dollars.

use super::fold;

/// The observations that a text without a postcode needs.
const MIN_SIGNS: usize = 2;

/// The states of the United States.
const US_STATES: &str = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY \
    NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC";

/// Whether these words contain a postcode of the United States behind its state: `Austin, TX 78701`.
fn has_us_postcode<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let mut is_state = false;
    for word in words {
        let code = word.trim_end_matches([',', '.']);
        let (code, rest) = code.split_once('-').unwrap_or((code, "0000"));
        let is_code = code.len() == 5
            && rest.len() == 4
            && code.bytes().chain(rest.bytes()).all(|b| b.is_ascii_digit());
        if is_state && is_code {
            return true;
        }
        is_state = word.len() == 2 && US_STATES.split_whitespace().any(|state| state == word);
    }
    false
}

/// Whether a text is from the United States: it has an address there, or several of the units, degrees, numbers and taxes
/// that are used there and hardly elsewhere.
pub(crate) fn is_american<'w>(words: impl Iterator<Item = &'w str> + Clone) -> bool {
    has_us_postcode(words.clone()) || signs(words) >= MIN_SIGNS
}

/// How many kinds of such observations a text has. Those of Canada and Australia count against them.
fn signs<'w>(words: impl Iterator<Item = &'w str>) -> usize {
    let (mut pounds, mut fahrenheit, mut degree, mut phone, mut tax, mut dollars) =
        (false, false, false, false, false, false);
    let mut last = String::new();
    for word in words {
        let bare = word.trim_matches(|c: char| ",.;:()".contains(c));
        let is_number = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_digit())
                && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        };
        let unit = bare.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let has_number = is_number(&last) || unit.len() < bare.len();
        pounds |= matches!(unit, "lb" | "lbs" | "Lbs" | "LBS" | "pounds") && has_number;
        fahrenheit |= matches!(unit, "°F" | "ºF" | "F" | "℉") && has_number;
        degree |= matches!(bare, "DVM" | "VMD" | "D.V.M");
        phone |= is_phone(&last, word);
        tax |= matches!(bare, "EIN" | "FEIN") || (fold(bare) == "tax" && fold(&last) == "sales");
        dollars |= bare.starts_with('$') && bare.len() > 1;
        if matches!(bare, "GST" | "HST" | "ABN" | "CAD" | "AUD" | "NZD" | "VAT") {
            return 0;
        }
        bare.clone_into(&mut last);
    }
    [pounds, fahrenheit, degree, phone, tax, dollars].into_iter().filter(|sign| *sign).count()
}

/// Whether words are a telephone number with its area: `(208) 555-0142`, `208-555-0142`.
fn is_phone(last: &str, word: &str) -> bool {
    let groups: Vec<&str> = word.trim_matches([',', '.', ';']).split(['-', '.']).collect();
    let is_group = |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    match groups[..] {
        [area, one, two] => {
            is_group(area.trim_matches(['(', ')']), 3) && is_group(one, 3) && is_group(two, 4)
        }
        [one, two] => {
            let joined = one.strip_prefix('(').and_then(|one| one.split_once(')'));
            match joined {
                Some((area, one)) => is_group(area, 3) && is_group(one, 3) && is_group(two, 4),
                None => is_group(last, 3) && is_group(one, 3) && is_group(two, 4),
            }
        }
        _ => false,
    }
}
