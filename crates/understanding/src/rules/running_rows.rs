//! Rows that stand at the same height at the top of every page: running titles. They were read on the first page, and say
//! nothing about the text between them.

use std::ops::Range;

use super::layout::DocumentLayout;

/// How far apart the heights of two such rows may be, in points.
const HEIGHT_TOLERANCE: f32 = 3.0;
/// The most rows at the top of a page that are compared.
const MAX_ROWS: usize = 12;

/// Whether each row, and all rows above it on its page, repeat a row at the same height of the page before.
pub(super) fn running_rows(layout: &DocumentLayout<'_>) -> Vec<bool> {
    let mut is_running = vec![false; layout.rows.len()];
    let mut before: Range<usize> = 0..0;
    let mut row = 0;
    while row < layout.rows.len() {
        let page = page_of(layout, row);
        let end = (row..layout.rows.len()).find(|next| page_of(layout, *next) != page);
        let own = row..end.unwrap_or(layout.rows.len());
        let first = before.clone().take(MAX_ROWS);
        let mut others = first.filter(|other| !is_page_number(layout, *other));
        for row in own.clone().take(MAX_ROWS) {
            if is_page_number(layout, row) {
                continue;
            }
            let is_same = others.next().is_some_and(|other| is_same_row(layout, other, row));
            if !is_same {
                break;
            }
            is_running[row] = true;
        }
        row = own.end;
        before = own;
    }
    is_running
}

fn page_of(layout: &DocumentLayout<'_>, row: usize) -> u32 {
    layout.cells[layout.rows[row].start].page
}

fn is_page_number(layout: &DocumentLayout<'_>, row: usize) -> bool {
    layout.rows[row].clone().all(|cell| layout.cells[cell].is_page_number())
}

fn is_same_row(layout: &DocumentLayout<'_>, one: usize, two: usize) -> bool {
    let (one, two) = (layout.rows[one].clone(), layout.rows[two].clone());
    let is_same = |(one, two): (usize, usize)| {
        let (one, two) = (&layout.cells[one], &layout.cells[two]);
        layout.count_step();
        (one.rect.y0 - two.rect.y0).abs() <= HEIGHT_TOLERANCE
            && ((one.is_page_number() && two.is_page_number())
                || (one.tokens.len() == two.tokens.len()
                    && one.tokens.iter().zip(&two.tokens).all(|(one, two)| one.text == two.text)))
    };
    one.len() == two.len() && one.zip(two).all(is_same)
}
