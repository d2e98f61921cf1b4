//! Strokes into rows, rows into lines.
//!
//! Strokes whose feet are at about the same height stand in one row: the difference may be as large as for a raised
//! figure, but not as for the next line. In a row they are read from left to right, and those near each other make one
//! line; a gap as wide as between the cells of a table begins another line. A stroke that begins well before the last one
//! ended was written over it, and is a line by itself.

use super::reading_order::{PlacedLine, PlacedSpan, ReadingOrder};

/// Shares of the font's size. A gap this wide parts two cells,
const CELL_GAP: f32 = 2.5;
/// an overlap this wide is another text,
const OVERLAP: f32 = 0.3;
/// feet this far apart, by the smaller font, stand in one row,
const SAME_BASELINE: f32 = 0.6;
/// and this far by the larger font, if the fonts are alike enough to be a word and its raised figure.
const RAISED: f32 = 0.42;
const RAISED_SIZE: f32 = 2.5;

/// Puts strokes into rows, from top to bottom, and gives for each row where it ends in the sorted strokes.
pub(super) fn sort_into_rows(strokes: &mut [PlacedSpan]) -> Vec<usize> {
    strokes.sort_by(|a, b| a.x_height_middle().total_cmp(&b.x_height_middle()));
    let mut ends = Vec::new();
    let mut anchor: Option<PlacedSpan> = None;
    for (place, stroke) in strokes.iter().enumerate() {
        match &mut anchor {
            Some(held) if share_row(held, stroke) => {
                if stroke.font_size > held.font_size {
                    *held = *stroke;
                }
            }
            held => {
                if held.is_some() {
                    ends.push(place);
                }
                *held = Some(*stroke);
            }
        }
    }
    if anchor.is_some() {
        ends.push(strokes.len());
    }
    ends
}

fn share_row(a: &PlacedSpan, b: &PlacedSpan) -> bool {
    let (small, large) = (a.font_size.min(b.font_size), a.font_size.max(b.font_size));
    let raised = if large <= RAISED_SIZE * small { RAISED * large } else { 0.0 };
    (a.baseline - b.baseline).abs() <= raised.max(SAME_BASELINE * small)
}

/// Writes the lines of strokes, row by row.
pub(super) fn write_rows(
    strokes: &mut [PlacedSpan],
    right_to_left: bool,
    block: u32,
    out: &mut ReadingOrder,
) {
    let ends = sort_into_rows(strokes);
    let mut start = 0;
    for end in ends {
        write_row(&mut strokes[start..end], right_to_left, block, out);
        start = end;
    }
}

fn write_row(row: &mut [PlacedSpan], right_to_left: bool, block: u32, out: &mut ReadingOrder) {
    // What begins at the same place keeps the order in which it was drawn.
    row.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.draw_index.cmp(&b.draw_index)));
    let first_line = out.lines.len();
    out.row += 1;
    let mut start = 0;
    let mut reach = f32::MIN;
    for place in 0..row.len() {
        let stroke = row[place];
        let gap = stroke.start - reach;
        if place > start && (gap > CELL_GAP * stroke.font_size || gap < -OVERLAP * stroke.font_size) {
            write_line(&row[start..place], block, out);
            start = place;
            reach = f32::MIN;
        }
        reach = reach.max(stroke.end);
    }
    write_line(&row[start..], block, out);
    if right_to_left {
        out.lines[first_line..].reverse();
    }
}

fn write_line(strokes: &[PlacedSpan], block: u32, out: &mut ReadingOrder) {
    let Some(largest) = strokes.iter().max_by(|a, b| a.font_size.total_cmp(&b.font_size)) else { return };
    let start = out.spans.len();
    out.spans.extend(strokes.iter().map(|stroke| stroke.draw_index));
    out.lines.push(PlacedLine {
        spans: start..out.spans.len(),
        start: strokes.first().map_or(0.0, |stroke| stroke.start),
        baseline: largest.baseline,
        font_size: largest.font_size,
        block,
        row: out.row,
    });
}
