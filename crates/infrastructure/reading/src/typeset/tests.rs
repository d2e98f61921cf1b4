//! Tests of the layout: positions of words, page breaks, tables.

use proptest::prelude::*;

use super::render::as_pdf;
use super::*;
use crate::CoveredText;
use crate::pdf::PdfFile;

fn paragraph(text: &str) -> TextBlock {
    TextBlock::Paragraph(text.to_owned())
}

fn row(cells: &[&str]) -> TextBlock {
    TextBlock::Row(cells.iter().map(|cell| (*cell).to_owned()).collect())
}

fn pages(blocks: impl IntoIterator<Item = TextBlock>) -> Vec<Page> {
    lay_out(blocks).unwrap().into_iter().map(|read| read.page).collect()
}

fn texts(page: &Page) -> Vec<String> {
    let line = |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    page.lines.iter().map(line).collect()
}

/// Columns from the left margin and rows from the top one.
#[allow(clippy::cast_possible_truncation)]
fn at(word: &Word) -> (i32, i32) {
    (
        ((word.rect.x0 - MARGIN) / CHARACTER_WIDTH).round() as i32,
        ((word.rect.y0 - MARGIN) / LINE_HEIGHT).floor() as i32,
    )
}

#[test]
fn words_are_placed_in_columns_and_rows_of_an_a4_page() {
    let pages = pages([paragraph("Peso:\t4,2 kg\n  Año"), paragraph("fin")]);
    let page = &pages[0];
    assert_eq!((page.width.to_bits(), page.height.to_bits()), (595f32.to_bits(), 842f32.to_bits()));
    assert_eq!(texts(page), ["Peso: 4,2 kg", "Año", "fin"]);
    let places: Vec<_> = page.lines.iter().flat_map(|line| &line.words).map(at).collect();
    assert_eq!(places, [(0, 0), (8, 0), (12, 0), (2, 1), (0, 3)]);
    let rect = page.lines[1].words[0].rect;
    assert_eq!(
        [rect.x0, rect.y0, rect.x1, rect.y1].map(f32::to_bits),
        [68.0, 69.0, 86.0, 79.0].map(f32::to_bits)
    );
    let opens: Vec<bool> = page.lines.iter().map(|line| line.opens_paragraph).collect();
    assert_eq!(opens, [true, false, true]);
}

#[test]
fn long_lines_break_between_words_and_only_longer_words_break_within() {
    let words = "palabra ".repeat(11);
    let lines = texts(&pages([paragraph(&words)])[0]);
    assert_eq!(lines, ["palabra ".repeat(10).trim_end(), "palabra"]);
    let long = "x".repeat(170);
    let lines: Vec<usize> =
        texts(&pages([paragraph(&format!("a {long} b"))])[0]).iter().map(String::len).collect();
    assert_eq!(lines, [1, 80, 80, 12]);
}

#[test]
fn form_feeds_start_pages_except_at_the_end() {
    let pages: Vec<_> = pages([paragraph("uno\u{c}dos\n\u{c}\u{c}tres\u{c}")]).iter().map(texts).collect();
    assert_eq!(pages, [vec!["uno"], vec!["dos"], vec![], vec!["tres"]]);
}

#[test]
fn text_continues_on_the_next_page() {
    let lines: Vec<String> = (0..130).map(|line| line.to_string()).collect();
    let pages = pages([paragraph(&lines.join("\n"))]);
    assert_eq!(pages.iter().map(|page| page.lines.len()).collect::<Vec<_>>(), [60, 60, 10]);
    assert_eq!(at(&pages[1].lines[0].words[0]), (0, 0));
    let last = pages[0].lines[59].words[0].rect;
    assert!(last.y1 <= HEIGHT - MARGIN);
}

#[test]
fn cells_have_equal_widths_and_a_row_that_fits_is_one_line() {
    let page = &pages([paragraph("Ficha"), row(&["Peso", "4,2 kg"]), row(&["Raza", "Común"])])[0];
    assert_eq!(texts(page), ["Ficha", "Peso 4,2 kg", "Raza Común"]);
    assert_eq!(at(&page.lines[1].words[1]), (41, 2));
    assert_eq!(at(&page.lines[2].words[1]), (41, 3));
}

#[test]
fn a_long_cell_wraps_within_its_column() {
    let long = "maropitant ".repeat(6);
    let page = &pages([row(&["Plan", &long, "dos\nlíneas"]), row(&["fin"])])[0];
    let three = "maropitant maropitant";
    assert_eq!(texts(page), ["Plan", three, three, three, "dos", "líneas", "fin"]);
    let places: Vec<_> = page.lines.iter().map(|line| at(&line.words[0])).collect();
    assert_eq!(places, [(0, 0), (27, 0), (27, 1), (27, 2), (54, 0), (54, 1), (0, 3)]);
    let opens: Vec<bool> = page.lines.iter().map(|line| line.opens_paragraph).collect();
    assert_eq!(opens, [true, false, false, false, false, false, false], "a table is one paragraph");
}

#[test]
fn a_row_higher_than_a_page_is_split_and_a_lower_one_is_not() {
    let high = "x\n".repeat(70);
    let pages = pages([paragraph("a"), row(&[&high, "b"]), row(&[&"y\n".repeat(55)])]);
    assert_eq!(pages.iter().map(|page| page.lines.len()).collect::<Vec<_>>(), [1, 61, 10, 55]);
}

#[test]
fn further_cells_of_a_wide_row_go_below() {
    let cells: Vec<String> = (0..30).map(|cell| cell.to_string()).collect();
    let page = &pages([TextBlock::Row(cells)])[0];
    assert_eq!(page.lines.iter().map(|line| line.words.len()).collect::<Vec<_>>(), [12, 12, 6]);
}

#[test]
fn no_text_is_an_empty_page_and_invisible_characters_are_dropped() {
    assert_eq!(pages([]).len(), 1);
    assert_eq!(pages([paragraph(" \n\t"), row(&[]), row(&["", " "])])[0].lines, []);
    assert_eq!(texts(&pages([paragraph("tra\u{AD}ta\u{200B}mien\u{7}to")])[0]), ["tratamiento"]);
}

#[test]
fn the_number_of_pages_is_limited() {
    assert_eq!(lay_out([paragraph(&("\u{c}".repeat(9_999) + "x"))]).unwrap().len(), 10_000);
    assert_eq!(lay_out([paragraph(&("\u{c}".repeat(10_000) + "x"))]), Err(TooManyPages));
    assert_eq!(lay_out([paragraph(&"x\n".repeat(600_001))]), Err(TooManyPages));
    assert_eq!(lay_out((0..10_001).map(|_| row(&[&"x\n".repeat(60)]))), Err(TooManyPages));
}

#[test]
fn a_rendered_page_is_black_at_its_words_and_white_elsewhere() {
    let page = &pages([paragraph("\n\nLuna 猫 (4,2 \\ €)")])[0];
    let png = render(page, 2.0).unwrap();
    let rendered = image::load_from_memory(&png).unwrap().into_luma8();
    assert_eq!((rendered.width(), rendered.height()), (1190, 1684));
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let has_black = |rect: Rect| {
        let (x0, y0, x1, y1) =
            (rect.x0 as u32 * 2, rect.y0 as u32 * 2, rect.x1 as u32 * 2, rect.y1 as u32 * 2);
        (x0..x1).any(|x| (y0..y1).any(|y| rendered[(x, y)].0[0] < 128))
    };
    for word in &page.lines[0].words {
        assert!(has_black(word.rect), "{word:?}");
    }
    assert!(!has_black(Rect { x0: 0.0, y0: 0.0, x1: 595.0, y1: 56.0 }));
    assert!(!has_black(Rect { x0: 0.0, y0: 70.0, x1: 595.0, y1: 842.0 }));
}

#[test]
fn a_page_written_as_pdf_reads_back_the_same() {
    let page = &pages([paragraph("Peso: 4,2 kg – «Año»\n   sangrado"), row(&["a", "b"])])[0];
    let drawn = PdfFile::open(as_pdf(page)).unwrap();
    let read: Vec<Page> = drawn.read_pages(0, CoveredText::Apart).map(|read| read.page).collect();
    let words = |page: &Page| page.lines.iter().flat_map(|line| line.words.clone()).collect::<Vec<_>>();
    let (set, read) = (words(page), words(&read[0]));
    assert_eq!(set.len(), read.len());
    for (set, read) in set.iter().zip(&read) {
        assert_eq!(set.text, read.text);
        assert!(
            (set.rect.x0 - read.rect.x0).abs() < 0.5 && (set.rect.x1 - read.rect.x1).abs() < 0.5,
            "{set:?} {read:?}"
        );
        assert!(
            (set.rect.y0 - read.rect.y0).abs() < 0.5 && (set.rect.y1 - read.rect.y1).abs() < 0.5,
            "{set:?} {read:?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_letter_is_lost_and_every_word_is_within_the_margins(
        paragraphs in prop::collection::vec("[a-zñ \\t\\n\\u{c}]{0,200}", 0..8),
        cells in prop::collection::vec("[a-z \\n]{0,120}", 0..15),
    ) {
        let given = paragraphs.iter().chain(&cells).flat_map(|text| text.chars()).filter(|letter| !letter.is_whitespace());
        let mut given: Vec<char> = given.collect();
        let blocks = paragraphs.iter().map(|text| paragraph(text)).chain([TextBlock::Row(cells.clone())]);
        let pages = pages(blocks);
        for word in pages.iter().flat_map(|page| &page.lines).flat_map(|line| &line.words) {
            prop_assert!(word.rect.x0 >= MARGIN && word.rect.x1 <= WIDTH - MARGIN);
            prop_assert!(word.rect.y0 >= MARGIN && word.rect.y1 <= HEIGHT - MARGIN);
        }
        let words = pages.iter().flat_map(|page| &page.lines).flat_map(|line| &line.words);
        let mut read: Vec<char> = words.flat_map(|word| word.text.chars()).collect();
        // Cells of a high row are split by page: the letters stay the same, but not their order.
        given.sort_unstable();
        read.sort_unstable();
        prop_assert_eq!(given, read);
    }
}
