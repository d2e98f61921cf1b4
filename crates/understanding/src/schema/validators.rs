//! Conditions on values beyond their type. They apply to values that the program reads and to text that a person types. The
//! person sees the document, and may keep a text that does not meet them.

use serde::{Deserialize, Serialize};

use crate::normal::{decimal, fold};

/// Conditions on a value. A condition that is not set holds for every value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The value is one of these. Case and accents do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<String>,
    /// The value is a number and at least this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<Bound>,
    /// The value is a number and at most this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<Bound>,
    /// The longest value, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// The form of the value: `A` is a letter, `0` a digit, `X` either, `*` anything, every other character itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
}

/// A finite number that values are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bound(pub f64);

/// Schema files with a bound that is not finite are refused, so bounds always compare.
impl Eq for Bound {}

impl Validators {
    /// Whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a value in its normal form meets all conditions.
    pub fn allows(&self, value: &str) -> bool {
        // A normal form has a decimal point: 1.234 is not in the thousands.
        let number = || value.parse::<f64>().ok().or_else(|| decimal(value)?.parse().ok());
        let is_listed = self.one_of.is_empty() || {
            let value = fold(value);
            self.one_of.iter().any(|one| fold(one) == value)
        };
        is_listed
            && self.min.is_none_or(|least| number().is_some_and(|number| number >= least.0))
            && self.max.is_none_or(|most| number().is_some_and(|number| number <= most.0))
            && self.max_length.is_none_or(|most| value.chars().count() <= most as usize)
            && self.pattern.as_deref().is_none_or(|pattern| matches_pattern(pattern, value))
    }
}

/// Whether a value matches a pattern. Only the last `*` is tried again, so the work is bounded by the product of both
/// lengths.
fn matches_pattern(pattern: &str, value: &str) -> bool {
    let (pattern, value): (Vec<char>, Vec<char>) = (pattern.chars().collect(), value.chars().collect());
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < value.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, place));
            at += 1;
        } else if pattern.get(at).is_some_and(|wanted| matches_character(*wanted, value[place])) {
            at += 1;
            place += 1;
        } else if let Some((last, from)) = star {
            star = Some((last, from + 1));
            (at, place) = (last + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|left| *left == '*')
}

fn matches_character(wanted: char, letter: char) -> bool {
    match wanted {
        'A' => letter.is_alphabetic(),
        '0' => letter.is_ascii_digit(),
        'X' => letter.is_alphanumeric(),
        wanted => wanted == letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_must_meet_all_conditions() {
        let any = Validators::default();
        let listed =
            Validators { one_of: vec!["EUR".to_owned(), "Año".to_owned()], ..Validators::default() };
        let bounded = Validators { min: Some(Bound(0.0)), max: Some(Bound(100.5)), ..Validators::default() };
        let short = Validators { max_length: Some(3), ..Validators::default() };
        let table = [
            (&any, "", true),
            (&listed, "eur", true),
            (&listed, "ano", true),
            (&listed, "USD", false),
            (&bounded, "100.50", true),
            (&bounded, "0", true),
            (&bounded, "-0.01", false),
            (&bounded, "101", false),
            (&bounded, "1.234", true),
            (&bounded, "many", false),
            (&short, "año", true),
            (&short, "años", false),
        ];
        for (validators, value, wanted) in table {
            assert_eq!(validators.allows(value), wanted, "{validators:?} {value}");
        }
    }

    #[test]
    fn patterns_match_letters_digits_and_anything() {
        for (pattern, value, wanted) in [
            ("A00000000", "B12345678", true),
            ("A00000000", "B1234567", false),
            ("A00000000", "112345678", false),
            ("F-*/00", "F-2024-17/03", true),
            ("F-*/00", "F-2024-17/3", false),
            ("*", "", true),
            ("**", "x", true),
            ("", "", true),
            ("", "x", false),
            ("X*X", "a", false),
            ("X*X", "a-9", true),
        ] {
            assert_eq!(matches_pattern(pattern, value), wanted, "{pattern} {value}");
        }
        let long = "ab".repeat(5_000);
        assert!(!matches_pattern("*a*b*a*b*c", &long));
    }
}
