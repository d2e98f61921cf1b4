//! Groups spans into rows, and the spans of a row into lines (step 5 of `reading_order`).
//!
//! Spans with about the same baseline share a row. The tolerance allows superscripts, but not the next line. A row is
//! read from left to right. Neighbouring spans form one line; a gap as wide as between table cells starts another line.
//! A span that starts well before the previous one ended is drawn over it, and becomes a line of its own.

use super::reading_order::{PlacedLine, PlacedSpan, ReadingOrder};

/// A gap wider than this many font sizes separates two table cells.
const CELL_GAP: f32 = 2.5;
/// A span that overlaps the previous one by more than this many font sizes is separate text.
const OVERLAP: f32 = 0.3;
/// Baselines this close, in sizes of the smaller font, share a row.
const SAME_BASELINE: f32 = 0.6;
/// Baselines this close, in sizes of the larger font, share a row if one may be a superscript of the other.
const SUPERSCRIPT_SHIFT: f32 = 0.42;
/// Text whose font is smaller than the other by more than this factor is not a superscript.
const MAX_SUPERSCRIPT_RATIO: f32 = 2.5;

/// Sorts spans by row, from top to bottom. Returns the end index of each row.
pub(super) fn sort_into_rows(spans: &mut [PlacedSpan]) -> Vec<usize> {
    spans.sort_by(|a, b| a.x_height_middle().total_cmp(&b.x_height_middle()));
    let mut ends = Vec::new();
    let mut anchor: Option<PlacedSpan> = None;
    for (index, span) in spans.iter().enumerate() {
        match &mut anchor {
            Some(largest) if share_row(largest, span) => {
                if span.font_size > largest.font_size {
                    *largest = *span;
                }
            }
            anchor => {
                if anchor.is_some() {
                    ends.push(index);
                }
                *anchor = Some(*span);
            }
        }
    }
    if anchor.is_some() {
        ends.push(spans.len());
    }
    ends
}

fn share_row(a: &PlacedSpan, b: &PlacedSpan) -> bool {
    let (small, large) = (a.font_size.min(b.font_size), a.font_size.max(b.font_size));
    let superscript = if large <= MAX_SUPERSCRIPT_RATIO * small { SUPERSCRIPT_SHIFT * large } else { 0.0 };
    (a.baseline - b.baseline).abs() <= superscript.max(SAME_BASELINE * small)
}

/// Appends the lines of the spans to `out`, row by row.
pub(super) fn write_rows(spans: &mut [PlacedSpan], right_to_left: bool, block: u32, out: &mut ReadingOrder) {
    let ends = sort_into_rows(spans);
    let mut start = 0;
    for end in ends {
        write_row(&mut spans[start..end], right_to_left, block, out);
        start = end;
    }
}

fn write_row(row: &mut [PlacedSpan], right_to_left: bool, block: u32, out: &mut ReadingOrder) {
    // Spans that start at the same position keep their drawing order.
    row.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.draw_index.cmp(&b.draw_index)));
    let first_line = out.lines.len();
    out.row += 1;
    let mut start = 0;
    let mut row_end = f32::MIN;
    for index in 0..row.len() {
        let span = row[index];
        let gap = span.start - row_end;
        if index > start && (gap > CELL_GAP * span.font_size || gap < -OVERLAP * span.font_size) {
            write_line(&row[start..index], block, out);
            start = index;
            row_end = f32::MIN;
        }
        row_end = row_end.max(span.end);
    }
    write_line(&row[start..], block, out);
    if right_to_left {
        out.lines[first_line..].reverse();
    }
}

fn write_line(spans: &[PlacedSpan], block: u32, out: &mut ReadingOrder) {
    let Some(largest) = spans.iter().max_by(|a, b| a.font_size.total_cmp(&b.font_size)) else { return };
    let start = out.spans.len();
    out.spans.extend(spans.iter().map(|span| span.draw_index));
    out.lines.push(PlacedLine {
        spans: start..out.spans.len(),
        start: spans.first().map_or(0.0, |span| span.start),
        baseline: largest.baseline,
        font_size: largest.font_size,
        block,
        row: out.row,
    });
}
