//! Cuts the text of a document into chunks: parts of one page that belong together.
//!
//! A chunk begins at a heading, a paragraph or a table where that is possible. Only a block that is longer than a whole chunk
//! is cut, between two lines or, within a very long line, between two words. Every visible word of a page is in exactly one
//! chunk, unless it is longer than a chunk itself; text that an opaque mark hides is in none.

use std::ops::Range;

use quire_domain::reading::{Line, Page, Reading, Rect, Word};

use super::words::MAX_WORD_CHARS;

/// The characters of a chunk beyond which the next block begins another one.
const FULL_CHARS: usize = 900;
/// The characters of the largest chunk.
pub const MAX_CHUNK_CHARS: usize = 1_800;
/// The characters of the longest piece of a word. The words of an index have at most [`MAX_WORD_CHARS`], so that a word is cut where
/// one of these ends.
const MAX_PIECE_CHARS: usize = MAX_CHUNK_CHARS / MAX_WORD_CHARS * MAX_WORD_CHARS;
/// A heading has at most so many words.
const HEADING_WORDS: usize = 12;

/// A part of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// The page, from 1.
    pub page: u32,
    /// Its text: a space between words, a line break between lines, an empty line between blocks.
    pub text: String,
    /// Where its words stand, in the order of the text. A word that was broken at the end of a line has two places.
    pub words: Vec<PlacedWord>,
}

/// A word of a chunk and its place on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedWord {
    /// Its bytes in the chunk's text.
    pub range: Range<usize>,
    /// Its rectangle on the page.
    pub rect: Rect,
}

/// The chunks of a document, in reading order.
pub fn chunks(reading: &Reading) -> Vec<Chunk> {
    let mut all = Vec::new();
    for (page, number) in reading.pages.iter().zip(1..) {
        chunk_page(page, number, &mut all);
    }
    all
}

/// Lines that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Heading,
    Paragraph,
    Table,
}

struct Block<'p> {
    kind: BlockKind,
    lines: Vec<&'p Line>,
    chars: usize,
}

fn chunk_page(page: &Page, number: u32, all: &mut Vec<Chunk>) {
    let mut open: Vec<Line> = Vec::new();
    let mut chars = 0;
    // Whether the open chunk ends with a heading, which must not be parted from what follows.
    let mut ends_with_heading = false;
    for block in blocks(page) {
        let starts_section = block.kind == BlockKind::Heading && !ends_with_heading && chars > FULL_CHARS / 3;
        let is_full = !ends_with_heading && chars > 0 && chars + block.chars > FULL_CHARS;
        let is_too_large = chars > 0 && chars + block.chars > MAX_CHUNK_CHARS;
        if starts_section || is_full || is_too_large {
            close(&mut open, number, all);
            chars = 0;
        }
        ends_with_heading = block.kind == BlockKind::Heading;
        for (place, line) in block.lines.iter().enumerate() {
            for piece in pieces(line) {
                let length = line_chars(&piece);
                if chars > 0 && chars + length > MAX_CHUNK_CHARS {
                    close(&mut open, number, all);
                    chars = 0;
                }
                let opens_paragraph = place == 0 && !open.is_empty();
                open.push(Line { opens_paragraph, ..piece });
                chars += length;
            }
        }
    }
    close(&mut open, number, all);
}

/// The line, or parts of it if it is longer than a chunk.
fn pieces(line: &Line) -> Vec<Line> {
    if line_chars(line) <= MAX_CHUNK_CHARS {
        return vec![line.clone()];
    }
    let mut pieces: Vec<Line> = Vec::new();
    let mut chars = usize::MAX;
    for word in line.words.iter().flat_map(word_pieces) {
        let length = word_chars(&word);
        if chars.saturating_add(length) > MAX_CHUNK_CHARS {
            pieces.push(Line { words: Vec::new(), opens_paragraph: false });
            chars = 0;
        }
        chars += length;
        if let Some(piece) = pieces.last_mut() {
            piece.words.push(word);
        }
    }
    pieces
}

/// The word, or parts of it if it is longer than a chunk. All parts stand where the word stands.
fn word_pieces(word: &Word) -> Vec<Word> {
    let mut pieces = Vec::new();
    let mut rest = word.text.as_str();
    while let Some((end, _)) = rest.char_indices().nth(MAX_PIECE_CHARS) {
        pieces.push(Word { text: rest[..end].to_owned(), ..word.clone() });
        rest = &rest[end..];
    }
    pieces.push(Word { text: rest.to_owned(), ..word.clone() });
    pieces
}

fn close(open: &mut Vec<Line>, number: u32, all: &mut Vec<Chunk>) {
    let lines = std::mem::take(open);
    if lines.iter().all(|line| line.words.is_empty()) {
        return;
    }
    let page = Page { lines, ..Page::default() };
    let plain = Reading { pages: vec![page] }.plain_text();
    let words = plain.words().map(|(range, place)| PlacedWord { range, rect: place.rect }).collect();
    all.push(Chunk { page: number, text: plain.text.trim_end().to_owned(), words });
}

fn word_chars(word: &Word) -> usize {
    word.text.chars().count() + 1
}

fn line_chars(line: &Line) -> usize {
    line.words.iter().map(word_chars).sum()
}

/// The headings, paragraphs and tables of a page.
fn blocks(page: &Page) -> Vec<Block<'_>> {
    let usual = usual_height(page);
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for line in page.lines.iter().filter(|line| !line.words.is_empty()) {
        let kind = if is_table_row(line) {
            BlockKind::Table
        } else if is_heading(line, usual) {
            BlockKind::Heading
        } else {
            BlockKind::Paragraph
        };
        let chars = line_chars(line);
        match blocks.last_mut() {
            Some(last) if last.kind == kind && (kind == BlockKind::Table || !line.opens_paragraph) => {
                last.lines.push(line);
                last.chars += chars;
            }
            _ => blocks.push(Block { kind, lines: vec![line], chars }),
        }
    }
    blocks
}

fn height(word: &Word) -> f32 {
    word.rect.y1 - word.rect.y0
}

/// The height of the middle word of a page.
fn usual_height(page: &Page) -> f32 {
    let mut heights: Vec<f32> = page.lines.iter().flat_map(|line| &line.words).map(height).collect();
    let middle = heights.len() / 2;
    if heights.is_empty() {
        return 0.0;
    }
    *heights.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// A row of a table has at least two gaps that are wider than a gap between words.
fn is_table_row(line: &Line) -> bool {
    let is_wide = |pair: &[Word]| pair[1].rect.x0 - pair[0].rect.x1 > 2.0 * height(&pair[0]).max(1.0);
    line.words.windows(2).filter(|pair| is_wide(pair)).count() >= 2
}

/// A heading is a short line that begins a paragraph, ends without a full stop, and is larger than the text or in capitals.
fn is_heading(line: &Line, usual: f32) -> bool {
    let ends_sentence = line.words.last().is_some_and(|word| word.text.ends_with(['.', ',', ';', '?', '!']));
    if !line.opens_paragraph || line.words.len() > HEADING_WORDS || ends_sentence {
        return false;
    }
    let tallest = line.words.iter().map(height).fold(0.0, f32::max);
    let letters = || line.words.iter().flat_map(|word| word.text.chars()).filter(|c| c.is_alphabetic());
    let is_capitals = letters().count() > 2 && !letters().any(char::is_lowercase);
    tallest > usual * 1.2 || is_capitals
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(text: &str, y0: f32, height: f32, opens_paragraph: bool) -> Line {
        let mut x0 = 0.0;
        let words = text.split(' ').filter(|word| !word.is_empty()).map(|word| {
            // A bar stands for a wide gap.
            let rect = Rect { x0, y0, x1: x0 + 20.0, y1: y0 + height };
            x0 += if word.ends_with('|') { 120.0 } else { 23.0 };
            Word::new(word.trim_end_matches('|'), rect)
        });
        Line { words: words.collect(), opens_paragraph }
    }

    fn page(lines: Vec<Line>) -> Page {
        Page { lines, ..Page::default() }
    }

    #[test]
    fn a_heading_begins_a_chunk_and_stays_with_its_text() {
        let long = "palabra ".repeat(60);
        let reading = Reading {
            pages: vec![page(vec![
                line(long.trim(), 0.0, 10.0, true),
                line("Diagnóstico final", 20.0, 16.0, true),
                line(long.trim(), 40.0, 10.0, true),
            ])],
        };
        let chunks = chunks(&reading);
        assert_eq!(chunks.len(), 2);
        assert!(chunks[1].text.starts_with("Diagnóstico final\n\npalabra"), "{}", chunks[1].text);
        assert_eq!(&chunks[1].text[chunks[1].words[0].range.clone()], "Diagnóstico");
        assert_eq!(chunks[1].words[0].rect.y0.to_bits(), 20.0f32.to_bits());
    }

    #[test]
    fn a_table_is_not_cut_while_it_fits_and_is_cut_between_rows() {
        let rows = |count: usize| -> Vec<Line> {
            (0u16..)
                .take(count)
                .map(|row| line("Consulta| 1| 35,00", f32::from(row) * 12.0, 10.0, false))
                .collect()
        };
        let mut lines = vec![line(&"texto ".repeat(140), 0.0, 10.0, true)];
        lines.extend(rows(30));
        let whole = chunks(&Reading { pages: vec![page(lines)] });
        assert_eq!(whole.len(), 2, "the table does not fit beside the text");
        assert_eq!(whole[1].text.lines().count(), 30);
        let long = chunks(&Reading { pages: vec![page(rows(300))] });
        assert!(long.len() > 1);
        assert!(long.iter().all(|chunk| chunk.text.lines().all(|line| line == "Consulta 1 35,00")));
    }

    #[test]
    fn covered_text_is_in_no_chunk_and_no_chunk_has_two_pages() {
        let mut first = page(vec![line("uno", 0.0, 10.0, true)]);
        first.covered = vec![line("secreto", 20.0, 10.0, true)];
        let reading =
            Reading { pages: vec![first, Page::default(), page(vec![line("dos", 0.0, 10.0, true)])] };
        let found: Vec<_> = chunks(&reading).into_iter().map(|chunk| (chunk.page, chunk.text)).collect();
        assert_eq!(found, [(1, "uno".to_owned()), (3, "dos".to_owned())]);
    }

    #[test]
    fn a_word_that_is_longer_than_a_chunk_is_cut() {
        let long = "ñandú".repeat(1_000);
        let chunks =
            chunks(&Reading { pages: vec![page(vec![line(&format!("uno {long} dos"), 0.0, 10.0, true)])] });
        assert!(chunks.iter().all(|chunk| chunk.text.chars().count() <= MAX_CHUNK_CHARS));
        let text: String = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(text.replace(char::is_whitespace, ""), format!("uno{long}dos"));
    }

    fn any_line() -> impl Strategy<Value = Line> {
        let word = prop_oneof![4 => "[a-zA-Z0-9áñ]{1,9}[|.]?", 1 => "[a-z]{200,220}"];
        (prop::collection::vec(word, 0..14), 8u8..20, any::<bool>())
            .prop_map(|(words, height, opens)| line(&words.join(" "), 0.0, f32::from(height), opens))
    }

    proptest! {
        #[test]
        fn every_word_is_in_exactly_one_chunk_and_chunks_are_bounded(
            pages in prop::collection::vec(prop::collection::vec(any_line(), 0..12), 0..3)
        ) {
            let reading = Reading { pages: pages.into_iter().map(page).collect() };
            let chunks = chunks(&reading);
            for (page, number) in reading.pages.iter().zip(1u32..) {
                let on_page: Vec<&str> =
                    page.lines.iter().flat_map(|line| &line.words).map(|word| word.text.as_str()).collect();
                let in_chunks: Vec<String> = chunks
                    .iter()
                    .filter(|chunk| chunk.page == number)
                    .flat_map(|chunk| chunk.words.iter().map(|word| chunk.text[word.range.clone()].to_owned()))
                    .collect();
                prop_assert_eq!(on_page, in_chunks);
            }
            for chunk in chunks {
                prop_assert!(!chunk.words.is_empty());
                prop_assert!(chunk.text.chars().count() <= MAX_CHUNK_CHARS + chunk.text.lines().count());
            }
        }
    }
}
