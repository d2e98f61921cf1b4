//! Joins letter-spaced text, such as the heading "P A C I E N T E", into one word.

use super::words::DrawnWord;

/// Fewer spaced letters in a row stay separate words.
const MIN_LETTERS: usize = 4;
/// The widest gap between letters of one word, as a share of the font size.
const MAX_SPACING: f32 = 0.6;
/// How much two gaps of one word may differ, as a share of the font size.
const SPACING_TOLERANCE: f32 = 0.08;

/// Joins runs of single letters with equal gaps and no space character between them. Works on the words from
/// `first_word` on.
pub(super) fn join_spaced_letters(words: &mut Vec<DrawnWord>, first_word: usize, text: &str, font_size: f32) {
    if words.len() < first_word + MIN_LETTERS {
        return;
    }
    let mut kept = first_word;
    let mut index = first_word;
    while index < words.len() {
        let run = spaced_letters(&words[index..], text, font_size);
        if run >= MIN_LETTERS {
            let last = words[index + run - 1].clone();
            let word = &mut words[index];
            word.text.end = last.text.end;
            word.end = last.end;
            word.rect = word.rect.union(last.rect);
            words.swap(kept, index);
            kept += 1;
            index += run;
        } else {
            words.swap(kept, index);
            kept += 1;
            index += 1;
        }
    }
    words.truncate(kept);
}

/// How many words from the first one on are single letters with equal gaps.
fn spaced_letters(words: &[DrawnWord], text: &str, font_size: f32) -> usize {
    let is_letter = |word: &DrawnWord| {
        let mut letters = text[word.text.clone()].chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    };
    let mut first_gap = None;
    let mut continues = |pair: &[DrawnWord]| {
        let gap = (pair[1].start - pair[0].end) / font_size;
        let is_equal = first_gap.is_none_or(|first: f32| (gap - first).abs() < SPACING_TOLERANCE);
        first_gap = first_gap.or(Some(gap));
        // A space character between two words leaves a gap in their text ranges.
        let has_space = pair[0].text.end != pair[1].text.start;
        is_equal && !has_space && gap < MAX_SPACING && is_letter(&pair[1])
    };
    if words.first().is_some_and(is_letter) {
        1 + words.windows(2).take_while(|pair| continues(pair)).count()
    } else {
        0
    }
}
