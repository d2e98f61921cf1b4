//! Strokes into rows, rows into lines.
//!
//! Strokes whose feet are at about the same height stand in one row: the difference may be as large as for a raised
//! figure, but not as for the next line. In a row they are read from left to right, and those near each other make one
//! line; a gap as wide as between the cells of a table begins another line. A stroke that begins well before the last one
//! ended was written over it, and is a line by itself.

use super::order::{Arranged, Piece, PlacedLine};

/// Shares of the font's size. A gap this wide parts two cells,
const CELL_GAP: f32 = 2.5;
/// an overlap this wide is another text,
const OVERLAP: f32 = 0.3;
/// feet this far apart, by the smaller font, stand in one row,
const SAME_FOOT: f32 = 0.6;
/// and this far by the larger font, if the fonts are alike enough to be a word and its raised figure.
const RAISED: f32 = 0.42;
const RAISED_SIZE: f32 = 2.5;

/// Puts strokes into rows, from top to bottom, and gives for each row where it ends in the sorted strokes.
pub(super) fn into_rows(strokes: &mut [Piece]) -> Vec<usize> {
    strokes.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
    let mut ends = Vec::new();
    let mut anchor: Option<Piece> = None;
    for (place, stroke) in strokes.iter().enumerate() {
        match &mut anchor {
            Some(held) if stand_together(held, stroke) => {
                if stroke.size > held.size {
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

fn stand_together(a: &Piece, b: &Piece) -> bool {
    let (small, large) = (a.size.min(b.size), a.size.max(b.size));
    let raised = if large <= RAISED_SIZE * small { RAISED * large } else { 0.0 };
    (a.foot - b.foot).abs() <= raised.max(SAME_FOOT * small)
}

/// Writes the lines of strokes, row by row.
pub(super) fn write_rows(strokes: &mut [Piece], right_to_left: bool, block: u32, out: &mut Arranged) {
    let ends = into_rows(strokes);
    let mut start = 0;
    for end in ends {
        write_row(&mut strokes[start..end], right_to_left, block, out);
        start = end;
    }
}

fn write_row(row: &mut [Piece], right_to_left: bool, block: u32, out: &mut Arranged) {
    // What begins at the same place keeps the order in which it was drawn.
    row.sort_by(|a, b| a.from.total_cmp(&b.from).then(a.drawn.cmp(&b.drawn)));
    let first_line = out.lines.len();
    out.row += 1;
    let mut start = 0;
    let mut reach = f32::MIN;
    for place in 0..row.len() {
        let stroke = row[place];
        let gap = stroke.from - reach;
        if place > start && (gap > CELL_GAP * stroke.size || gap < -OVERLAP * stroke.size) {
            write_line(&row[start..place], block, out);
            start = place;
            reach = f32::MIN;
        }
        reach = reach.max(stroke.to);
    }
    write_line(&row[start..], block, out);
    if right_to_left {
        out.lines[first_line..].reverse();
    }
}

fn write_line(strokes: &[Piece], block: u32, out: &mut Arranged) {
    let Some(largest) = strokes.iter().max_by(|a, b| a.size.total_cmp(&b.size)) else { return };
    let start = out.strokes.len();
    out.strokes.extend(strokes.iter().map(|stroke| stroke.drawn));
    out.lines.push(PlacedLine {
        strokes: start..out.strokes.len(),
        from: strokes.first().map_or(0.0, |stroke| stroke.from),
        foot: largest.foot,
        size: largest.size,
        block,
        row: out.row,
    });
}
