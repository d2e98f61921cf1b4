//! Normalises weights and ages.

use jiff::civil::Date;

use super::{fold, folded_words};

/// The weights that an animal can have, in kilograms.
const PLAUSIBLE_KILOGRAMS: std::ops::RangeInclusive<f64> = 0.5..=120.0;
const KILOGRAMS_IN_POUND: f64 = 0.453_592_37;
const OUNCES_IN_POUND: f64 = 16.0;
/// Marks before or behind a number that show that it is no weight: a price, a share, a fraction.
const OTHER_MARKS: [char; 5] = ['€', '$', '£', '%', '/'];

/// `N kg` from a number in kilograms, grams or pounds, with a decimal comma or point. Only the unit directly behind the
/// number counts: other measures may follow.
pub fn weight(words: &str) -> Option<String> {
    let folded = fold(words);
    // "98.1 lb (44.5 kg)" says it twice.
    let in_brackets = folded.split_once('(').and_then(|(_, behind)| behind.split_once(')'));
    if let Some((kilograms, _)) = in_brackets.filter(|(inner, _)| unit_of(number_and_rest(inner).1) == "kg") {
        return weight(kilograms);
    }
    let start = folded.find(|c: char| c.is_ascii_digit())?;
    let before = &folded[..start];
    // At most two words, such as "unos", may stand before the number.
    if before.split_whitespace().count() > 2 || before.contains(OTHER_MARKS) {
        return None;
    }
    let (number, rest) = number_and_rest(&folded[start..]);
    let ends = number.ends_with(['.', ',']);
    let unit: String = if ends { String::new() } else { unit_of(rest) };
    let behind = if ends { "" } else { rest.trim_start() };
    let behind = behind.strip_prefix(unit.as_str()).unwrap_or(behind);
    // "12 g/dl" is no weight, and neither is "12 %"; "12.3kg/27lb" is one, said twice.
    let is_twice = !unit.is_empty()
        && behind.strip_prefix('/').is_some_and(|behind| behind.starts_with(|c: char| c.is_ascii_digit()));
    if (behind.starts_with(OTHER_MARKS) && !is_twice) || behind.starts_with('µ') {
        return None;
    }
    let number = number.trim_end_matches(['.', ',']);
    // Nobody weighs thousandths of a gram: 3.150 g are more than three thousand.
    let is_thousands =
        unit.starts_with('g') && number.rsplit(['.', ',']).next().is_some_and(|end| end.len() == 3);
    let number = if is_thousands { number.replace(['.', ','], "") } else { number.replace(',', ".") };
    let number: f64 = number.parse().ok()?;
    let pounds = |pounds: f64| (pounds * KILOGRAMS_IN_POUND * 100.0).round() / 100.0;
    let kilograms = match unit.as_str() {
        "g" | "gr" | "grs" | "gramos" | "grams" | "gramm" => number / 1000.0,
        "lb" | "lbs" | "pound" | "pounds" | "libras" => pounds(number + ounces(behind) / OUNCES_IN_POUND),
        "oz" | "ounce" | "ounces" => pounds(number / OUNCES_IN_POUND),
        "" if behind.starts_with('#') => pounds(number),
        "" | "k" | "kg" | "kgs" | "kilo" | "kilos" | "kilogramos" | "kilogramm" => number,
        _ => return None,
    };
    PLAUSIBLE_KILOGRAMS.contains(&kilograms).then(|| format!("{} kg", six_significant_digits(kilograms)))
}

fn number_and_rest(words: &str) -> (&str, &str) {
    let end = words.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(words.len());
    words.split_at(end)
}

fn unit_of(rest: &str) -> String {
    rest.trim_start().chars().take_while(|c| c.is_alphabetic()).collect()
}

/// The ounces behind pounds: `12 lb 6 oz`.
fn ounces(behind: &str) -> f64 {
    let behind = behind.trim_start_matches(['.', ',', ' ']);
    let (number, rest) = number_and_rest(behind);
    let is_unit = matches!(unit_of(rest).as_str(), "oz" | "ozs" | "ounce" | "ounces");
    number.replace(',', ".").parse().ok().filter(|_| is_unit).unwrap_or(0.0)
}

/// Whether words are a number with a unit of weight and nothing else.
pub(crate) fn is_weight_with_unit(words: &str) -> bool {
    let words = words.trim().trim_end_matches('.').to_lowercase();
    let pounds = words.strip_suffix('#').map(str::trim_end);
    if pounds
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    {
        return true;
    }
    let unit = words.trim_start_matches(|c: char| !c.is_alphabetic());
    let (unit, behind) = unit.split_once(' ').unwrap_or((unit, ""));
    let is_unit = matches!(
        unit.trim_end_matches('.'),
        "kg" | "kgs" | "kilos" | "g" | "gr" | "grs" | "k" | "lb" | "lbs" | "pounds" | "libras"
    );
    is_unit && (behind.is_empty() || (unit.starts_with("lb") && ounces(behind) > 0.0))
}

/// The number with at most six significant digits, without trailing zeros.
fn six_significant_digits(number: f64) -> String {
    let whole = format!("{number:.0}").len();
    let text = format!("{number:.*}", 6_usize.saturating_sub(whole));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Words for months, and for weeks and days.
const MONTHS: [&str; 17] = [
    "mes", "meses", "month", "months", "mo", "mos", "mth", "mths", "monat", "monate", "monaten", "mois",
    "mese", "mesi", "maand", "maanden", "mnd",
];
const WEEKS_AND_DAYS: [&str; 26] = [
    "semana",
    "semanas",
    "week",
    "weeks",
    "wk",
    "wks",
    "woche",
    "wochen",
    "semaine",
    "semaines",
    "settimana",
    "settimane",
    "weken",
    "dia",
    "dias",
    "day",
    "days",
    "tag",
    "tage",
    "tagen",
    "jour",
    "jours",
    "giorno",
    "giorni",
    "dag",
    "dagen",
];
/// Words for years.
const YEARS: [&str; 16] = [
    "ano", "anos", "year", "years", "yr", "yrs", "yo", "jahr", "jahre", "jahren", "an", "ans", "anno",
    "anni", "jaar", "jaren",
];

/// Whether this folded word makes a number an age.
pub(crate) fn is_unit_of_age(word: &str) -> bool {
    YEARS.contains(&word) || MONTHS.contains(&word) || WEEKS_AND_DAYS.contains(&word)
}

/// Whole years, from years or months.
pub fn age(words: &str) -> Option<u32> {
    let words = fold(words);
    let start = words.find(|c: char| c.is_ascii_digit())?;
    if folded_words(&words[..start]).len() > 1 {
        return None;
    }
    let end = words[start..].find(|c: char| !c.is_ascii_digit()).unwrap_or(words.len() - start);
    let (number, rest) = words[start..].split_at(end);
    // A date is no age.
    let is_date =
        rest.strip_prefix(['/', '-']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_date {
        return None;
    }
    let number: u32 = number.parse().ok()?;
    let rest = folded_words(rest);
    let unit = rest.iter().find(|word| word.chars().all(char::is_alphabetic)).map_or("", String::as_str);
    let years = match unit {
        "m" => number / 12,
        unit if MONTHS.contains(&unit) => number / 12,
        unit if WEEKS_AND_DAYS.contains(&unit) => 0,
        _ => number,
    };
    (years <= 100).then_some(years)
}

/// Whole years between two days.
pub(crate) fn years_between(birth: Date, day: Date) -> Option<u32> {
    let before = (day.month(), day.day()) < (birth.month(), birth.day());
    let years = i32::from(day.year()) - i32::from(birth.year()) - i32::from(before);
    u32::try_from(years).ok()
}
