//! Joins dates that a narrow column breaks over two lines: "11 ENE" above "2022".

use super::layout::{Cell, DocumentLayout};
use crate::normal::DateOrder;
use crate::normal::date::date_at_start;

/// The years that such a date may have.
const YEARS: std::ops::RangeInclusive<u16> = 1970..=2100;

/// Moves the year below a day and a month into their cell.
pub(super) fn join_broken_dates(layout: &mut DocumentLayout<'_>) {
    for row in 0..layout.rows.len().saturating_sub(1) {
        for upper in layout.rows[row].clone() {
            layout.count_step();
            let above = &layout.cells[upper];
            let below =
                layout.rows[row + 1].clone().find(|lower| is_year_under(above, &layout.cells[*lower]));
            let Some(lower) = below.filter(|lower| is_whole_date(above, &layout.cells[*lower])) else {
                continue;
            };
            let mut year = std::mem::take(&mut layout.cells[lower].tokens);
            layout.cells[upper].tokens.append(&mut year);
        }
    }
}

/// Whether a cell has nothing but a year, directly under a short one.
fn is_year_under(above: &Cell<'_>, below: &Cell<'_>) -> bool {
    let is_year = |text: &str| text.len() == 4 && text.parse().is_ok_and(|year| YEARS.contains(&year));
    let is_close = below.rect.y0 - above.rect.y0 < 2.0 * above.height();
    let is_under = (below.rect.x0 - above.rect.x0).abs() <= 3.0 && is_close && below.page == above.page;
    (1..=4).contains(&above.tokens.len())
        && is_under
        && matches!(&below.tokens[..], [only] if is_year(only.text))
}

/// Whether both cells together are one date, and the first alone is none.
fn is_whole_date(above: &Cell<'_>, below: &Cell<'_>) -> bool {
    let words: Vec<&str> = above.tokens.iter().chain(&below.tokens).map(|token| token.text).collect();
    let has_month = above.tokens.iter().any(|token| token.text.chars().any(char::is_alphabetic));
    let length = |words: &[&str]| date_at_start(words, DateOrder::default()).map_or(0, |(_, count)| count);
    has_month && length(&words) == words.len() && length(&words[..words.len() - 1]) == 0
}
