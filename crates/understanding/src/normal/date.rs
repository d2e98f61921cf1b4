//! Normalises dates: `d/m/y`, `y/m/d`, or with the name of the month.

use jiff::civil::{Date, Time};

use super::fold;

/// The years that a date may have.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;
/// The last two-digit year of this century: 68 is 2068, 69 is 1969.
const PIVOT: i16 = 68;
/// The months by the first letters of their Spanish and English names.
const MONTHS: [(&str, i8); 17] = [
    ("ene", 1),
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("abr", 4),
    ("apr", 4),
    ("may", 5),
    ("jun", 6),
    ("jul", 7),
    ("ago", 8),
    ("aug", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("nov", 11),
    ("dic", 12),
    ("dec", 12),
];

/// The date at the start of these words, if the calendar has it.
pub fn date(words: &str) -> Option<Date> {
    let is_before = |word: &&str| matches!(fold(word).as_str(), "el" | "dia" | "on" | "a" | "del");
    let words: Vec<&str> = words.split_whitespace().skip_while(is_before).take(6).collect();
    date_at_start(&words).map(|(date, _)| date)
}

/// Whether this can be the date of a visit. A two-digit year of the last century cannot: nobody abbreviates a year so
/// long ago, so the digits mean something else.
pub(crate) fn is_plausible_visit_date(date: Date, words: &str) -> bool {
    let is_long = |part: &str| part.len() >= 4;
    date.year() >= 2000 || words.split(|c: char| !c.is_ascii_digit()).any(is_long)
}

/// The date at the start of these words, and how many of them it takes.
pub(crate) fn date_at_start(words: &[&str]) -> Option<(Date, usize)> {
    let first = words.first()?;
    if let Some(date) = numeric_date(first) {
        return Some((date, 1));
    }
    date_with_month_name(words)
}

/// `d/m/y` or `y/m/d`, separated by slashes, dashes or dots.
fn numeric_date(word: &str) -> Option<Date> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let parts: Vec<&str> = word.split(['/', '-', '.']).take(4).collect();
    let [one, two, three] = parts[..] else { return None };
    if !two.bytes().all(|b| b.is_ascii_digit()) {
        let year = year(three)?;
        return calendar_date(year, month(two)?, digits(one, 2)?);
    }
    // Both separators must be the same.
    let marks: Vec<char> = word.chars().filter(|c| "/-.".contains(*c)).collect();
    if marks.first() != marks.last() || two.len() > 2 {
        return None;
    }
    let month = i8::try_from(digits(two, 2)?).ok()?;
    if one.len() == 4 {
        return calendar_date(year(one)?, month, digits(three, 2)?);
    }
    calendar_date(year(three)?, month, digits(one, 2)?)
}

/// `12 de marzo de 2024`, `12 March 2024`, `March 12, 2024`.
fn date_with_month_name(words: &[&str]) -> Option<(Date, usize)> {
    let mut parts = Vec::with_capacity(3);
    let mut count = 0;
    for word in words.iter().take(6) {
        count += 1;
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        if word.eq_ignore_ascii_case("de")
            || word.eq_ignore_ascii_case("del")
            || word.eq_ignore_ascii_case("of")
        {
            continue;
        }
        parts.push(word);
        if parts.len() == 3 {
            break;
        }
    }
    let [one, two, three] = parts[..] else { return None };
    let year = year(three).filter(|_| three.len() == 4)?;
    let date = match month(two) {
        Some(month) => calendar_date(year, month, digits(ordinal(one), 2)?),
        None => calendar_date(year, month(one)?, digits(ordinal(two), 2)?),
    };
    date.map(|date| (date, count))
}

/// `3rd` without its letters.
fn ordinal(word: &str) -> &str {
    ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word)
}

fn month(name: &str) -> Option<i8> {
    let name = fold(name);
    if !name.chars().all(char::is_alphabetic) {
        return None;
    }
    MONTHS.iter().find(|(start, _)| name.starts_with(start)).map(|(_, month)| *month)
}

fn year(text: &str) -> Option<i16> {
    let year = digits(text, 4)?;
    match text.len() {
        2 if year <= PIVOT => Some(2000 + year),
        2 => Some(1900 + year),
        4 => Some(year),
        _ => None,
    }
}

fn digits(text: &str, most: usize) -> Option<i16> {
    let is_number = !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn calendar_date(year: i16, month: i8, day: i16) -> Option<Date> {
    let date = Date::new(year, month, i8::try_from(day).ok()?).ok()?;
    YEARS.contains(&year).then_some(date)
}

/// The time of day in this word, such as `13:44` or `9:05:12`.
pub(crate) fn time(word: &str) -> Option<Time> {
    let word = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let mut parts = word.split(':').map(|part| digits(part, 2).and_then(|part| i8::try_from(part).ok()));
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().map_or(Some(0), |second| second)?;
    if parts.next().is_some() {
        return None;
    }
    Time::new(hour, minute, second, 0).ok()
}
