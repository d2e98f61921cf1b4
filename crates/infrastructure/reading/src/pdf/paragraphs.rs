//! Where paragraphs begin.
//!
//! In the order of reading, a line begins a paragraph if it is the first of its column, stands clearly further below the
//! line before it than lines usually do there, is set in a clearly different size, or is indented after a line that ended
//! a sentence and before one that is not indented. Cells beside each other never begin one.

use super::reading_order::PlacedLine;

/// A gap of so many usual ones parts two paragraphs.
const WIDE_GAP: f32 = 1.35;
/// A font so many times larger, or smaller, is another one.
const OTHER_SIZE: f32 = 1.2;
/// The usual distance of lines where there are too few to tell, in sizes of the font.
const DEFAULT_LINE_DISTANCE: f32 = 1.4;
const MIN_DISTANCES: usize = 3;
/// How far an indented line begins after the others, in sizes of the font.
const INDENT: f32 = 0.8;
const MAX_INDENT: f32 = 5.0;

/// For each line, whether a paragraph begins there.
pub(super) fn paragraph_starts(
    lines: &[PlacedLine],
    ends_sentence: impl Fn(&PlacedLine) -> bool,
) -> Vec<bool> {
    let mut opens = Vec::with_capacity(lines.len());
    for block in lines.chunk_by(|a, b| a.block == b.block) {
        let pitch = median_line_distance(block);
        for place in 0..block.len() {
            opens.push(place == 0 || starts_paragraph(block, place, pitch, &ends_sentence));
        }
    }
    opens
}

/// The distance between lines that half of them keep.
fn median_line_distance(block: &[PlacedLine]) -> Option<f32> {
    let below = block.windows(2).map(|pair| pair[1].baseline - pair[0].baseline).zip(block.windows(2));
    let mut pitches: Vec<f32> = below
        .filter(|(pitch, pair)| pair[0].row != pair[1].row && *pitch > 0.0)
        .map(|(pitch, _)| pitch)
        .collect();
    let middle = pitches.len() / 2;
    (pitches.len() >= MIN_DISTANCES).then(|| *pitches.select_nth_unstable_by(middle, f32::total_cmp).1)
}

fn starts_paragraph(
    block: &[PlacedLine],
    place: usize,
    pitch: Option<f32>,
    ends_sentence: impl Fn(&PlacedLine) -> bool,
) -> bool {
    let (before, line) = (&block[place - 1], &block[place]);
    if before.row == line.row {
        return false;
    }
    let gap = line.baseline - before.baseline;
    let usual = pitch.unwrap_or(DEFAULT_LINE_DISTANCE * before.font_size.max(line.font_size));
    let other_size =
        line.font_size > before.font_size * OTHER_SIZE || before.font_size > line.font_size * OTHER_SIZE;
    gap > WIDE_GAP * usual || gap < 0.0 || other_size || is_indented(block, place) && ends_sentence(before)
}

fn is_indented(block: &[PlacedLine], place: usize) -> bool {
    let (before, line) = (&block[place - 1], &block[place]);
    let indents = |other: &PlacedLine| {
        let by = (line.start - other.start) / line.font_size;
        by > INDENT && by < MAX_INDENT
    };
    indents(before) && block.get(place + 1).is_some_and(indents)
}
