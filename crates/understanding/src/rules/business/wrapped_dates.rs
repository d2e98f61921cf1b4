//! Joins dates that the end of a line in a paragraph breaks: "by 1 December" above "2024 to our account".

use crate::normal::DateOrder;
use crate::normal::date::date_at_start;
use crate::rules::layout::{Cell, DocumentLayout};

/// The years that such a date may have.
const YEARS: std::ops::RangeInclusive<u16> = 1990..=2100;
/// The fewest words of a line that goes on in the next one.
const MIN_WORDS: usize = 4;

/// Moves the year that begins a line to the day and month that end the line above.
pub(in crate::rules) fn join_wrapped_dates(layout: &mut DocumentLayout<'_>) {
    for row in 0..layout.rows.len().saturating_sub(1) {
        layout.count_step();
        let Some(upper) = layout.rows[row].clone().next_back() else { continue };
        let lower = layout.rows[row + 1].start;
        if goes_on(&layout.cells[upper], &layout.cells[lower]) {
            let year = layout.cells[lower].tokens.remove(0);
            layout.cells[upper].tokens.push(year);
        }
    }
}

/// Whether a line ends with a day and a month, and the line below begins with the year.
fn goes_on(upper: &Cell<'_>, lower: &Cell<'_>) -> bool {
    let is_below = upper.page == lower.page && lower.rect.y0 - upper.rect.y0 < 2.2 * upper.height();
    let year = lower.tokens.first().map_or("", |token| token.text).trim_end_matches(['.', ',', ';']);
    let is_year = year.len() == 4 && year.parse().is_ok_and(|year| YEARS.contains(&year));
    if !is_below || !is_year || upper.tokens.len() < MIN_WORDS || lower.tokens.len() < 2 {
        return false;
    }
    let whole = |count: usize| {
        let last = upper.tokens[upper.tokens.len() - count..].iter().map(|token| token.text);
        let words: Vec<&str> = last.chain([year]).collect();
        let is_day = words[0].starts_with(|c: char| c.is_ascii_digit());
        is_day && date_at_start(&words, DateOrder::default()).is_some_and(|(_, taken)| taken == words.len())
    };
    let has_month = upper.tokens.last().is_some_and(|token| token.text.chars().any(char::is_alphabetic));
    has_month && (2..=4).any(whole)
}
