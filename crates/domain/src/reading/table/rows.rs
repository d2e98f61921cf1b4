//! Words in rows: the same height on the page, whatever column they are in.

use super::super::{Page, Rect, Word};

/// A gap of this many heights separates two cells.
const CELL_GAP: f32 = 0.8;

/// The words of a page, with the usual height of a word.
pub(super) struct PageWords<'p> {
    pub(super) words: Vec<&'p Word>,
    pub(super) height: f32,
}

/// Words side by side that belong together.
#[derive(Clone, Debug)]
pub(super) struct Segment<'p> {
    pub(super) words: Vec<&'p Word>,
    pub(super) rect: Rect,
}

pub(super) fn words(page: &Page) -> PageWords<'_> {
    let words: Vec<&Word> = page.lines.iter().flat_map(|line| &line.words).collect();
    let mut heights: Vec<f32> = words.iter().map(|word| word.rect.y1 - word.rect.y0).collect();
    heights.sort_by(f32::total_cmp);
    let height = heights.get(heights.len() / 2).copied().unwrap_or(10.0).max(1.0);
    PageWords { words, height }
}

/// The words in rows from top to bottom, and each row in segments from left to right.
pub(super) fn rows<'p>(words: &PageWords<'p>) -> Vec<Vec<Segment<'p>>> {
    let middle = |word: &Word| f32::midpoint(word.rect.y0, word.rect.y1);
    let mut sorted = words.words.clone();
    sorted.sort_by(|one, other| middle(one).total_cmp(&middle(other)));
    let mut rows: Vec<Vec<&'p Word>> = Vec::new();
    let mut row_middle = f32::NEG_INFINITY;
    for word in sorted {
        if middle(word) - row_middle > words.height * 0.5 || rows.is_empty() {
            rows.push(Vec::new());
            row_middle = middle(word);
        }
        if let Some(row) = rows.last_mut() {
            row.push(word);
        }
    }
    rows.into_iter().map(|row| segments(row, words.height)).collect()
}

fn segments(mut row: Vec<&Word>, height: f32) -> Vec<Segment<'_>> {
    row.sort_by(|one, other| one.rect.x0.total_cmp(&other.rect.x0));
    let mut segments: Vec<Segment<'_>> = Vec::new();
    for word in row {
        match segments.last_mut() {
            Some(last) if word.rect.x0 - last.rect.x1 <= height * CELL_GAP => {
                last.rect = last.rect.union(word.rect);
                last.words.push(word);
            }
            _ => segments.push(Segment { words: vec![word], rect: word.rect }),
        }
    }
    segments
}

/// The words from top to bottom and left to right, as one text.
pub(super) fn text(words: &[&Word], height: f32) -> String {
    let holder = PageWords { words: words.to_vec(), height };
    let rows = rows(&holder);
    let words = rows.iter().flatten().flat_map(|segment| &segment.words);
    words.map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
}

pub(super) fn bounds(words: &[&Word]) -> Option<Rect> {
    words.iter().map(|word| word.rect).reduce(Rect::union)
}
