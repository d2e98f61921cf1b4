//! Finds words that the page draws twice. Some producers make text bold by drawing it again with a tiny offset.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::words::{DrawnWord, PageText};

/// The size of a grid cell, in points. Duplicates are closer together than that.
const CELL: f32 = 4.0;
/// The largest offset of a duplicate, as a share of the word's height or width, whichever is smaller.
const MAX_OFFSET: f32 = 0.15;

type SeenWords = HashMap<u64, usize, BuildHasherDefault<IdentityHasher>>;

/// The keys are well mixed already. If two words share a key by accident, one replaces the other in the map; chains of
/// collisions cannot build up.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// For each word, whether an earlier word has the same text in the same place. Takes linear time: each grid cell
/// remembers one word per text.
pub(super) fn find_duplicates(page: &PageText) -> Vec<bool> {
    let mut seen = SeenWords::with_capacity_and_hasher(page.words.len(), BuildHasherDefault::default());
    let words = page.words.iter().enumerate();
    words
        .map(|(index, word)| {
            let text = &page.text[word.text.clone()];
            let max_offset = MAX_OFFSET * (word.rect.y1 - word.rect.y0).min(word.rect.x1 - word.rect.x0);
            let is_duplicate = cells_around(word, max_offset.min(CELL / 2.0)).any(|(column, row)| {
                let other = seen.get(&key(text, column, row)).map(|other| &page.words[*other]);
                other.is_some_and(|other| {
                    is_near(word, other, max_offset) && text == &page.text[other.text.clone()]
                })
            });
            if !is_duplicate {
                seen.insert(key(text, cell(word.rect.x0), cell(word.rect.y0)), index);
            }
            is_duplicate
        })
        .collect()
}

/// Mixes the first bytes of the text with the cell.
fn key(text: &str, column: i32, row: i32) -> u64 {
    let mut bytes = [0; 8];
    let length = text.len().min(bytes.len());
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    let cell = (u64::from(column.cast_unsigned()) << 32) | u64::from(row.cast_unsigned());
    let mixed = (u64::from_le_bytes(bytes) ^ cell.rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29) ^ cell).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

fn cells_around(word: &DrawnWord, max_offset: f32) -> impl Iterator<Item = (i32, i32)> {
    let columns = cell(word.rect.x0 - max_offset)..=cell(word.rect.x0 + max_offset);
    let rows = cell(word.rect.y0 - max_offset)..=cell(word.rect.y0 + max_offset);
    columns.flat_map(move |column| rows.clone().map(move |row| (column, row)))
}

fn is_near(word: &DrawnWord, other: &DrawnWord, max_offset: f32) -> bool {
    let (a, b) = (word.rect, other.rect);
    [a.x0 - b.x0, a.y0 - b.y0, a.x1 - b.x1, a.y1 - b.y1].iter().all(|offset| offset.abs() < max_offset)
}

#[allow(clippy::cast_possible_truncation)] // Words are on the page; positions beyond i32 share the last cell.
fn cell(position: f32) -> i32 {
    (position / CELL).floor() as i32
}
