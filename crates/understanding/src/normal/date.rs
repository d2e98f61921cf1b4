//! Normalises dates: `d/m/y`, `y/m/d`, or with the name of the month.

use jiff::civil::{Date, Time};

use super::{fold, is_american};

/// The years that a date may have.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;
/// The last two-digit year of this century: 68 is 2068, 69 is 1969.
const PIVOT: i16 = 68;
/// The months by the first letters of their names in Spanish, English, German, French, Italian, Dutch and Portuguese.
const MONTHS: [(&str, i8); 34] = [
    ("ene", 1),
    ("jan", 1),
    ("gen", 1),
    ("feb", 2),
    ("fev", 2),
    ("mar", 3),
    ("maa", 3),
    ("mrt", 3),
    ("abr", 4),
    ("apr", 4),
    ("avr", 4),
    ("may", 5),
    ("mai", 5),
    ("mag", 5),
    ("mei", 5),
    ("jun", 6),
    ("juin", 6),
    ("giu", 6),
    ("jul", 7),
    ("juil", 7),
    ("lug", 7),
    ("ago", 8),
    ("aug", 8),
    ("aou", 8),
    ("sep", 9),
    ("set", 9),
    ("oct", 10),
    ("okt", 10),
    ("ott", 10),
    ("out", 10),
    ("nov", 11),
    ("dic", 12),
    ("dec", 12),
    ("dez", 12),
];

/// Words for the days of the week, which may stand before a date.
const WEEKDAYS: [&str; 46] = [
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
    "sabado",
    "domingo",
    "lun",
    "mie",
    "jue",
    "vie",
    "sab",
    "dom",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
    "lundi",
    "mardi",
    "mercredi",
    "jeudi",
    "vendredi",
    "samedi",
    "dimanche",
    "montag",
    "dienstag",
    "mittwoch",
    "donnerstag",
    "freitag",
    "samstag",
    "sonntag",
    "lunedi",
    "martedi",
    "mercoledi",
    "giovedi",
    "venerdi",
];

/// Whether a folded word is a day of the week.
pub(crate) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

/// What comes first in a date of numbers, if it is not the year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DateOrder {
    /// `31/12/2024`.
    #[default]
    DayFirst,
    /// `12/31/2024`.
    MonthFirst,
}

/// How a document writes dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DateStyle {
    /// The order of most of its dates.
    pub order: DateOrder,
    /// Whether a date that fits both orders may have the other one.
    pub is_open: bool,
}

impl DateStyle {
    /// The style of a text in a language: its dates that fit one order only decide. Without any, days come first, but for a
    /// text of the United States. In English, and in a language that nobody knows, both may be.
    pub(crate) fn of<'w>(words: impl Iterator<Item = &'w str> + Clone, language: Option<&str>) -> Self {
        let (mut day_first, mut month_first) = (0_usize, 0_usize);
        for word in words.clone() {
            match numeric_dates(word) {
                (Some(_), None) if could_be_month_first(word) => day_first += 1,
                (None, Some(_)) => month_first += 1,
                _ => {}
            }
        }
        let is_english = matches!(language, None | Some("en" | "unknown"));
        let is_american = is_english && day_first == 0 && is_american(words);
        let is_month_first = month_first > day_first || (month_first == 0 && is_american);
        let order = if is_month_first { DateOrder::MonthFirst } else { DateOrder::DayFirst };
        let is_open = match (day_first > 0, month_first > 0) {
            (true, true) => true,
            (false, false) => is_english,
            _ => false,
        };
        Self { order, is_open }
    }
}

/// The date at the start of these words, if the calendar has it. Days come before months if both orders fit.
pub fn date(words: &str) -> Option<Date> {
    date_in_order(words, DateOrder::DayFirst)
}

/// The same for a document that writes dates in this order.
pub fn date_in_order(words: &str, order: DateOrder) -> Option<Date> {
    let words = date_words(words);
    let day = words.first().is_some_and(|first| is_weekday(&fold(first.trim_end_matches([',', '.']))));
    date_at_start(&words[usize::from(day)..], order).map(|(date, _)| date)
}

/// Every date that these words can mean: two if they fit both orders.
pub(crate) fn date_readings(words: &str) -> Vec<Date> {
    let mut readings: Vec<Date> = [DateOrder::DayFirst, DateOrder::MonthFirst]
        .into_iter()
        .filter_map(|order| date_in_order(words, order))
        .collect();
    readings.dedup();
    readings
}

/// Whether a date of numbers fits this order. Other dates fit both.
pub(crate) fn fits_order(words: &str, order: DateOrder) -> bool {
    let words = date_words(words);
    let (day_first, month_first) = words.first().map_or((None, None), |word| numeric_dates(word));
    match order {
        DateOrder::DayFirst => day_first.is_some() || month_first.is_none(),
        DateOrder::MonthFirst => {
            month_first.is_some() || !words.first().is_some_and(|word| could_be_month_first(word))
        }
    }
}

fn date_words(words: &str) -> Vec<&str> {
    let is_before = |word: &&str| matches!(fold(word).as_str(), "el" | "dia" | "on" | "a" | "del");
    words.split_whitespace().skip_while(is_before).take(6).collect()
}

/// Whether this can be the date of a visit. A two-digit year of the last century cannot: nobody abbreviates a year so
/// long ago, so the digits mean something else.
pub(crate) fn is_plausible_visit_date(date: Date, words: &str) -> bool {
    let is_long = |part: &str| part.len() >= 4;
    date.year() >= 2000 || words.split(|c: char| !c.is_ascii_digit()).any(is_long)
}

/// The date at the start of these words, and how many of them it takes.
pub(crate) fn date_at_start(words: &[&str], order: DateOrder) -> Option<(Date, usize)> {
    let (day_first, month_first) = numeric_dates(words.first()?);
    let numeric = match order {
        DateOrder::DayFirst => day_first.or(month_first),
        DateOrder::MonthFirst => month_first.or(day_first),
    };
    numeric.map(|date| (date, 1)).or_else(|| spaced_date(words)).or_else(|| date_with_month_name(words))
}

/// A date of numbers with spaces behind its dots: `05. 03. 2024`.
fn spaced_date(words: &[&str]) -> Option<(Date, usize)> {
    let [one, two, three, ..] = words else { return None };
    let (day, month) = (one.strip_suffix('.')?, two.strip_suffix('.')?);
    let year = three.trim_end_matches(|c: char| !c.is_alphanumeric());
    let date = calendar_date(year_of_four(year)?, i8::try_from(digits(month, 2)?).ok()?, digits(day, 2)?)?;
    Some((date, 3))
}

fn year_of_four(text: &str) -> Option<i16> {
    year(text).filter(|_| text.len() == 4)
}

/// Whether only the numbers of a date tell that its day comes first.
fn could_be_month_first(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let first = word.split(['/', '-']).next().unwrap_or_default();
    first.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit() || b == b'/' || b == b'-')
}

/// A date of numbers, separated by slashes, dashes or dots: read with the day first, and with the month first. Only one
/// reading fits if the month has a name, if the year comes first, or between dots.
fn numeric_dates(word: &str) -> (Option<Date>, Option<Date>) {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let parts: Vec<&str> = word.split(['/', '-', '.']).take(4).collect();
    let [one, two, three] = parts[..] else { return (None, None) };
    if !two.bytes().all(|b| b.is_ascii_digit()) {
        let date = || calendar_date(year(three)?, month(two)?, digits(one, 2)?);
        return (date(), None);
    }
    // Both separators must be the same.
    let marks: Vec<char> = word.chars().filter(|c| "/-.".contains(*c)).collect();
    if marks.first() != marks.last() || two.len() > 2 {
        return (None, None);
    }
    let dated = |year_part, month_part, day_part| {
        calendar_date(year(year_part)?, i8::try_from(digits(month_part, 2)?).ok()?, digits(day_part, 2)?)
    };
    if one.len() == 4 {
        return (dated(one, two, three), None);
    }
    let month_first = if marks.contains(&'.') { None } else { dated(three, one, two) };
    (dated(three, two, one), month_first)
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
    // Only behind an abbreviated month do two digits stand for a year: `12 Feb 24`, but not `12 marzo 24 horas`.
    let is_short = two.chars().count() <= 4 && month(two).is_some() && three.len() == 2;
    let year = if is_short { year(three) } else { year_of_four(three) }?;
    let date = match month(two) {
        Some(month) => calendar_date(year, month, digits(ordinal(one), 2)?),
        None => calendar_date(year, month(one)?, digits(ordinal(two), 2)?),
    };
    date.map(|date| (date, count))
}

/// `3rd` without its letters.
fn ordinal(word: &str) -> &str {
    ["st", "nd", "rd", "th", "er"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word)
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
