//! Where paragraphs begin.
//!
//! In the order of reading, a line begins a paragraph if it is the first of its column, stands clearly further below the
//! line before it than lines usually do there, is set in a clearly different size, or is indented after a line that ended
//! a sentence and before one that is not indented. Cells beside each other never begin one.

use super::order::PlacedLine;

/// A gap of so many usual ones parts two paragraphs.
const WIDE: f32 = 1.35;
/// A font so many times larger, or smaller, is another one.
const OTHER_SIZE: f32 = 1.2;
/// The usual distance of lines where there are too few to tell, in sizes of the font.
const USUAL_PITCH: f32 = 1.4;
const FEWEST_TO_TELL: usize = 3;
/// How far an indented line begins after the others, in sizes of the font.
const INDENT: f32 = 0.8;
const DEEP_INDENT: f32 = 5.0;

/// For each line, whether a paragraph begins there.
pub(super) fn openings(lines: &[PlacedLine], ends_sentence: impl Fn(&PlacedLine) -> bool) -> Vec<bool> {
    let mut opens = Vec::with_capacity(lines.len());
    for block in lines.chunk_by(|a, b| a.block == b.block) {
        let pitch = usual_pitch(block);
        for place in 0..block.len() {
            opens.push(place == 0 || opens_at(block, place, pitch, &ends_sentence));
        }
    }
    opens
}

/// The distance between lines that half of them keep.
fn usual_pitch(block: &[PlacedLine]) -> Option<f32> {
    let below = block.windows(2).map(|pair| pair[1].foot - pair[0].foot).zip(block.windows(2));
    let mut pitches: Vec<f32> = below
        .filter(|(pitch, pair)| pair[0].row != pair[1].row && *pitch > 0.0)
        .map(|(pitch, _)| pitch)
        .collect();
    let middle = pitches.len() / 2;
    (pitches.len() >= FEWEST_TO_TELL).then(|| *pitches.select_nth_unstable_by(middle, f32::total_cmp).1)
}

fn opens_at(
    block: &[PlacedLine],
    place: usize,
    pitch: Option<f32>,
    ends_sentence: impl Fn(&PlacedLine) -> bool,
) -> bool {
    let (before, line) = (&block[place - 1], &block[place]);
    if before.row == line.row {
        return false;
    }
    let gap = line.foot - before.foot;
    let usual = pitch.unwrap_or(USUAL_PITCH * before.size.max(line.size));
    let other_size = line.size > before.size * OTHER_SIZE || before.size > line.size * OTHER_SIZE;
    gap > WIDE * usual || gap < 0.0 || other_size || is_indented(block, place) && ends_sentence(before)
}

fn is_indented(block: &[PlacedLine], place: usize) -> bool {
    let (before, line) = (&block[place - 1], &block[place]);
    let indents = |other: &PlacedLine| {
        let by = (line.from - other.from) / line.size;
        by > INDENT && by < DEEP_INDENT
    };
    indents(before) && block.get(place + 1).is_some_and(indents)
}
