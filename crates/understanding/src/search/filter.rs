//! Filters of a query: `key:value`, `key:>100`, `key:2024-01..2024-06`.

use std::ops::Bound;

use jiff::civil::Date;

use super::words::tokenize;

/// A filter by a key of the documents' fields, or by a property such as `status`.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The key, in lower case.
    pub key: String,
    /// What its value must be.
    pub condition: Condition,
    /// Whether documents that fulfil the condition are left out.
    pub is_negated: bool,
}

/// What a value must be.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// It says this: the same words, or the same number or date.
    Is {
        /// The text as it was written.
        text: String,
        /// Its folded words, separated by spaces.
        words: String,
        /// The number that it is, if it is one.
        number: Option<f64>,
        /// The days that it names, if it is a date, a month or a year.
        days: Option<(Date, Date)>,
    },
    /// It lies within these bounds, as a number or as a date.
    Within {
        /// The bounds as numbers, if they can be.
        numbers: Option<Bounds<f64>>,
        /// The bounds as days, if they can be.
        days: Option<Bounds<Date>>,
    },
}

/// A range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<T> {
    /// The least value.
    pub least: Bound<T>,
    /// The largest value.
    pub most: Bound<T>,
}

impl Condition {
    /// Reads what stands after the colon. An error says what is wrong with it.
    pub(super) fn parse(value: &str, is_quoted: bool) -> Result<Self, &'static str> {
        if is_quoted {
            return Ok(Self::is(value));
        }
        for (sign, from_least, is_included) in
            [(">=", true, true), ("<=", false, true), (">", true, false), ("<", false, false)]
        {
            if let Some(bound) = value.strip_prefix(sign) {
                let (number, days) = (number(bound), days(bound));
                if number.is_none() && days.is_none() {
                    return Err("needs a number or a date after the sign, such as >100 or >=2024-01");
                }
                let numbers = number.map(|number| one_sided(number, from_least, is_included));
                // After a month is after its last day, and from a month on is from its first day on.
                let days = days.map(|(first, last)| {
                    let day = if from_least == is_included { first } else { last };
                    one_sided(day, from_least, is_included)
                });
                return Ok(Self::Within { numbers, days });
            }
        }
        if let Some((from, to)) = value.split_once("..") {
            return Self::between(from, to);
        }
        Ok(Self::is(value))
    }

    fn between(from: &str, to: &str) -> Result<Self, &'static str> {
        if from.is_empty() && to.is_empty() {
            return Err("needs a number or a date before or after the two dots, such as 10..20");
        }
        let numbers = bounds(from, to, number, number);
        let days = bounds(from, to, |from| Some(days(from)?.0), |to| Some(days(to)?.1));
        if numbers.is_none() && days.is_none() {
            return Err("needs numbers or dates around the two dots, such as 2024-01..2024-06");
        }
        Ok(Self::Within { numbers, days })
    }

    fn is(value: &str) -> Self {
        Self::Is {
            text: value.to_owned(),
            words: tokenize(value).join(" "),
            number: number(value),
            days: days(value),
        }
    }
}

fn one_sided<T>(bound: T, from_least: bool, is_included: bool) -> Bounds<T> {
    let bound = if is_included { Bound::Included(bound) } else { Bound::Excluded(bound) };
    if from_least {
        Bounds { least: bound, most: Bound::Unbounded }
    } else {
        Bounds { least: Bound::Unbounded, most: bound }
    }
}

/// None if a bound that is given is no value of this kind.
fn bounds<T>(
    from: &str,
    to: &str,
    first: impl Fn(&str) -> Option<T>,
    last: impl Fn(&str) -> Option<T>,
) -> Option<Bounds<T>> {
    let given = |text: &str, parse: &dyn Fn(&str) -> Option<T>| match text {
        "" => Some(Bound::Unbounded),
        text => parse(text).map(Bound::Included),
    };
    Some(Bounds { least: given(from, &first)?, most: given(to, &last)? })
}

/// A number with a decimal point or comma.
fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.len() <= 20;
    let is_plain = is_plain && digits.bytes().all(|byte| byte.is_ascii_digit() || b".,".contains(&byte));
    if !is_plain || digits.bytes().filter(|byte| b".,".contains(byte)).count() > 1 {
        return None;
    }
    text.replace(',', ".").parse().ok()
}

/// The first and the last day of a date, a month or a year.
fn days(text: &str) -> Option<(Date, Date)> {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, length: usize| {
        let is_number = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<i16>().ok()).flatten()
    };
    let year = digits(parts.first()?, 4)?;
    let month = |part: &str| i8::try_from(digits(part, 2)?).ok();
    match parts.as_slice() {
        [_] => Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?)),
        [_, of_year] => {
            let first = Date::new(year, month(of_year)?, 1).ok()?;
            Some((first, first.last_of_month()))
        }
        [_, of_year, day] => {
            let day = Date::new(year, month(of_year)?, month(day)?).ok()?;
            Some((day, day))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(value: &str) -> (Option<Bounds<f64>>, Option<Bounds<Date>>) {
        match Condition::parse(value, false) {
            Ok(Condition::Within { numbers, days }) => (numbers, days),
            other => panic!("{value}: {other:?}"),
        }
    }

    #[test]
    fn ranges_of_numbers_and_dates_have_their_ends() {
        let date = |text: &str| text.parse::<Date>().unwrap();
        assert_eq!(within(">100").0, Some(Bounds { least: Bound::Excluded(100.0), most: Bound::Unbounded }));
        assert_eq!(within("<=12,5").0, Some(Bounds { least: Bound::Unbounded, most: Bound::Included(12.5) }));
        assert_eq!(
            within("-5..5").0,
            Some(Bounds { least: Bound::Included(-5.0), most: Bound::Included(5.0) })
        );
        assert_eq!(
            within("2024-01..2024-02").1,
            Some(Bounds {
                least: Bound::Included(date("2024-01-01")),
                most: Bound::Included(date("2024-02-29"))
            })
        );
        assert_eq!(
            within(">2024-01").1,
            Some(Bounds { least: Bound::Excluded(date("2024-01-31")), most: Bound::Unbounded })
        );
        assert_eq!(
            within("<2024").1,
            Some(Bounds { least: Bound::Unbounded, most: Bound::Excluded(date("2024-01-01")) })
        );
        assert_eq!(within("..2024").0.unwrap().least, Bound::Unbounded);
    }

    #[test]
    fn what_is_no_number_or_date_is_no_bound() {
        for wrong in [">abc", "..", "a..b", "<", ">=2024-13", "1..x"] {
            assert!(Condition::parse(wrong, false).is_err(), "{wrong}");
        }
        assert!(matches!(Condition::parse(">abc", true), Ok(Condition::Is { .. })), "quoted text is text");
        let Ok(Condition::Is { words, number, days, .. }) = Condition::parse("2024", false) else { panic!() };
        assert_eq!((words.as_str(), number, days.is_some()), ("2024", Some(2024.0), true));
    }
}
