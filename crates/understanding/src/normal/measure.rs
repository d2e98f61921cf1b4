//! Normalises weights and ages.

use jiff::civil::Date;

use super::{fold, folded_words};

/// The weights that an animal can have, in kilograms.
const PLAUSIBLE_KILOGRAMS: std::ops::RangeInclusive<f64> = 0.5..=120.0;
const KILOGRAMS_IN_POUND: f64 = 0.453_592_37;
/// Units that show that a number is no weight: doses, laboratory results, prices, other measures.
const OTHER_UNITS: [&str; 19] = [
    "mg", "ml", "/kg", "dl", "mmol", "u/l", "ui", "eur", "€", "$", "cm", "mm", "lpm", "bpm", "%", "ºc", "°c",
    "mcg", "µg",
];

/// `N kg` from a number in kilograms or grams, with a decimal comma or point.
pub fn weight(words: &str) -> Option<String> {
    let folded = fold(words);
    if OTHER_UNITS.iter().any(|unit| folded.contains(unit)) {
        return None;
    }
    let start = folded.find(|c: char| c.is_ascii_digit())?;
    // At most two words, such as "unos", may stand before the number.
    if folded[..start].split_whitespace().count() > 2 {
        return None;
    }
    let end = folded[start..].find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let (number, rest) = folded[start..].split_at(end.unwrap_or(folded.len() - start));
    let unit: String = rest.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
    let number = number.trim_end_matches(['.', ',']);
    // Nobody weighs thousandths of a gram: 3.150 g are more than three thousand.
    let is_thousands =
        unit.starts_with('g') && number.rsplit(['.', ',']).next().is_some_and(|end| end.len() == 3);
    let number = if is_thousands { number.replace(['.', ','], "") } else { number.replace(',', ".") };
    let number: f64 = number.parse().ok()?;
    let kilograms = match unit.as_str() {
        "g" | "gr" | "grs" | "gramos" | "grams" => number / 1000.0,
        "lb" | "lbs" | "pound" | "pounds" | "libras" => (number * KILOGRAMS_IN_POUND * 100.0).round() / 100.0,
        "" | "k" | "kg" | "kgs" | "kilo" | "kilos" | "kilogramos" => number,
        _ => return None,
    };
    PLAUSIBLE_KILOGRAMS.contains(&kilograms).then(|| format!("{} kg", six_significant_digits(kilograms)))
}

/// The number with at most six significant digits, without trailing zeros.
fn six_significant_digits(number: f64) -> String {
    let whole = format!("{number:.0}").len();
    let text = format!("{number:.*}", 6_usize.saturating_sub(whole));
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
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
        "m" | "mes" | "meses" | "month" | "months" | "mo" => number / 12,
        "semana" | "semanas" | "week" | "weeks" | "dia" | "dias" | "day" | "days" => 0,
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
