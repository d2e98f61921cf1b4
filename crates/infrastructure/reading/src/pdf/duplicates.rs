//! Text drawn twice, the second time a hair aside, is how some producers make it bold. It is read once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::words::{DrawnWord, PageText};

/// The side of the cells in which words are looked for, in points. Shadows are nearer than that.
const CELL: f32 = 4.0;
/// How far aside, as a share of the word's height.
const MAX_OFFSET: f32 = 0.15;

type SeenWords = HashMap<u64, usize, BuildHasherDefault<IdentityHasher>>;

/// Keys are mixed already. Two words that share one by accident only hide each other: nothing piles up.
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

/// Which words say again, in the same place, what a word before them said. Takes time in proportion to the words: each
/// cell remembers one word of each text.
pub(super) fn find_duplicates(gathered: &PageText) -> Vec<bool> {
    let mut seen = SeenWords::with_capacity_and_hasher(gathered.words.len(), BuildHasherDefault::default());
    let words = gathered.words.iter().enumerate();
    words
        .map(|(place, word)| {
            let text = &gathered.text[word.text.clone()];
            let near = MAX_OFFSET * (word.rect.y1 - word.rect.y0).min(word.rect.x1 - word.rect.x0);
            let again = cells_around(word, near.min(CELL / 2.0)).any(|(column, row)| {
                let other = seen.get(&key(text, column, row)).map(|other| &gathered.words[*other]);
                other.is_some_and(|other| {
                    is_near(word, other, near) && text == &gathered.text[other.text.clone()]
                })
            });
            if !again {
                seen.insert(key(text, cell(word.rect.x0), cell(word.rect.y0)), place);
            }
            again
        })
        .collect()
}

/// The first letters, the length and the cell, well mixed.
fn key(text: &str, column: i32, row: i32) -> u64 {
    let mut letters = [0; 8];
    let length = text.len().min(letters.len());
    letters[..length].copy_from_slice(&text.as_bytes()[..length]);
    let place = (u64::from(column.cast_unsigned()) << 32) | u64::from(row.cast_unsigned());
    let mixed = (u64::from_le_bytes(letters) ^ place.rotate_left(17)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29) ^ place).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

fn cells_around(word: &DrawnWord, near: f32) -> impl Iterator<Item = (i32, i32)> {
    let columns = cell(word.rect.x0 - near)..=cell(word.rect.x0 + near);
    let rows = cell(word.rect.y0 - near)..=cell(word.rect.y0 + near);
    columns.flat_map(move |column| rows.clone().map(move |row| (column, row)))
}

fn is_near(word: &DrawnWord, other: &DrawnWord, near: f32) -> bool {
    let (a, b) = (word.rect, other.rect);
    [a.x0 - b.x0, a.y0 - b.y0, a.x1 - b.x1, a.y1 - b.y1].iter().all(|aside| aside.abs() < near)
}

#[allow(clippy::cast_possible_truncation)] // Words stand on pages; what is further away is in the last cell.
fn cell(place: f32) -> i32 {
    (place / CELL).floor() as i32
}
