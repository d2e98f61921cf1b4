//! Decides which lines start a paragraph.
//!
//! A line starts a paragraph if it is the first of its column, if the gap above it is clearly wider than usual, if its
//! font size clearly differs from that of the line above, or if it is indented, the line above ends a sentence and the
//! line below is not indented. Cells of one row never start a paragraph.

use super::reading_order::PlacedLine;

/// A gap wider than this many usual gaps separates two paragraphs.
const WIDE_GAP: f32 = 1.35;
/// A font larger or smaller by more than this factor is a different one.
const OTHER_SIZE: f32 = 1.2;
/// The line distance to assume if a block has too few lines to measure it, in font sizes.
const DEFAULT_LINE_DISTANCE: f32 = 1.4;
/// The fewest distances from which a median is taken.
const MIN_DISTANCES: usize = 3;
/// The least indent of a paragraph, in font sizes.
const INDENT: f32 = 0.8;
/// A larger indent, in font sizes, is another alignment and not a paragraph.
const MAX_INDENT: f32 = 5.0;

/// For each line, whether it starts a paragraph.
pub(super) fn paragraph_starts(
    lines: &[PlacedLine],
    ends_sentence: impl Fn(&PlacedLine) -> bool,
) -> Vec<bool> {
    let mut starts = Vec::with_capacity(lines.len());
    for block in lines.chunk_by(|a, b| a.block == b.block) {
        let line_distance = median_line_distance(block);
        for index in 0..block.len() {
            starts.push(index == 0 || starts_paragraph(block, index, line_distance, &ends_sentence));
        }
    }
    starts
}

fn median_line_distance(block: &[PlacedLine]) -> Option<f32> {
    let distances = block.windows(2).map(|pair| pair[1].baseline - pair[0].baseline).zip(block.windows(2));
    let mut distances: Vec<f32> = distances
        .filter(|(distance, pair)| pair[0].row != pair[1].row && *distance > 0.0)
        .map(|(distance, _)| distance)
        .collect();
    let middle = distances.len() / 2;
    (distances.len() >= MIN_DISTANCES).then(|| *distances.select_nth_unstable_by(middle, f32::total_cmp).1)
}

fn starts_paragraph(
    block: &[PlacedLine],
    index: usize,
    line_distance: Option<f32>,
    ends_sentence: impl Fn(&PlacedLine) -> bool,
) -> bool {
    let (before, line) = (&block[index - 1], &block[index]);
    if before.row == line.row {
        return false;
    }
    let gap = line.baseline - before.baseline;
    let usual = line_distance.unwrap_or(DEFAULT_LINE_DISTANCE * before.font_size.max(line.font_size));
    let is_other_size =
        line.font_size > before.font_size * OTHER_SIZE || before.font_size > line.font_size * OTHER_SIZE;
    gap > WIDE_GAP * usual || gap < 0.0 || is_other_size || is_indented(block, index) && ends_sentence(before)
}

fn is_indented(block: &[PlacedLine], index: usize) -> bool {
    let (before, line) = (&block[index - 1], &block[index]);
    let indents = |other: &PlacedLine| {
        let indent = (line.start - other.start) / line.font_size;
        indent > INDENT && indent < MAX_INDENT
    };
    indents(before) && block.get(index + 1).is_some_and(indents)
}
