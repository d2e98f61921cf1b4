//! Tests of reading generated PDFs.

#[path = "covered_tests.rs"]
mod covered_tests;
#[path = "embedded_files_tests.rs"]
mod embedded_files_tests;
#[path = "reading_order_tests.rs"]
mod reading_order_tests;
#[path = "robustness_tests.rs"]
mod robustness_tests;
#[path = "script_tests.rs"]
mod script_tests;
#[path = "tables_tests.rs"]
mod tables_tests;

use quire_domain::reading::Reading;
use quire_testkit::documents::{Font, PageContent, PageOptions, Pdf};

use super::*;

fn read(file: Vec<u8>) -> Result<Reading, PdfError> {
    let file = PdfFile::open(file)?;
    Ok(Reading { pages: file.read_pages(0, CoveredText::Apart).map(|read| read.page).collect() })
}

/// The page size of the tests, in points.
const SIZE: (f32, f32) = (300.0, 200.0);

/// A PDF with one page of 300 by 200 points per content stream, with Helvetica as `/F`.
fn pdf(contents: &[&str], page_entries: &str) -> Vec<u8> {
    Pdf::with_options(contents, &PageOptions { size: SIZE, page_entries, ..PageOptions::default() }).file()
}

fn texts(reading: &Reading) -> Vec<Vec<String>> {
    let lines = reading.pages.iter().flat_map(|page| &page.lines);
    lines.map(|line| line.words.iter().map(|word| word.text.clone()).collect()).collect()
}

#[test]
fn gaps_separate_words_and_lines() {
    let content = "BT /F 10 Tf 20 150 Td (Paciente: Luna) Tj 0 -14 Td [(Pe) 20 (so) -400 (4,2) -300 (kg)] TJ \
                   0 -14 Td (Dueno) Tj 150 0 Td (Telefono) Tj ET";
    let reading = read(pdf(&[content], "")).unwrap();
    assert_eq!(
        texts(&reading),
        [vec!["Paciente:", "Luna"], vec!["Peso", "4,2", "kg"], vec!["Dueno"], vec!["Telefono"]]
    );
}

#[test]
fn boxes_are_in_points_from_the_top_left_of_the_upright_page() {
    let content = "BT /F 10 Tf 20 150 Td (Luna) Tj ET";
    let reading = read(pdf(&[content], "")).unwrap();
    let (page, word) = (&reading.pages[0], &reading.pages[0].lines[0].words[0]);
    assert_eq!((page.width.to_bits(), page.height.to_bits()), (300f32.to_bits(), 200f32.to_bits()));
    // Helvetica: L 556, u 556, n 556, a 556 thousandths of 10 points.
    let near = |a: f32, b: f32| (a - b).abs() < 0.05;
    assert!(near(word.rect.x0, 20.0) && near(word.rect.x1, 20.0 + 22.24), "{:?}", word.rect);
    assert!(
        near(word.rect.y0, 200.0 - 150.0 - 8.0) && near(word.rect.y1, 200.0 - 150.0 + 2.0),
        "{:?}",
        word.rect
    );

    let rotated = read(pdf(&[content], "/Rotate 90")).unwrap();
    let (page, word) = (&rotated.pages[0], &rotated.pages[0].lines[0].words[0]);
    assert_eq!((page.width.to_bits(), page.height.to_bits()), (200f32.to_bits(), 300f32.to_bits()));
    assert_eq!(word.text, "Luna");
    assert!(near(word.rect.y0, 20.0) && near(word.rect.y1, 42.24), "{:?}", word.rect);
}

#[test]
fn invisible_text_is_read_and_text_that_is_filled_and_stroked_is_read_once() {
    let content = "BT /F 10 Tf 3 Tr 20 150 Td (escaneado) Tj 2 Tr 0 -14 Td (negrita) Tj ET";
    let reading = read(pdf(&[content], "")).unwrap();
    assert_eq!(texts(&reading), [["escaneado"], ["negrita"]]);
}

/// Proves R087 from the file on: a snippet is located on its page.
#[test]
fn every_page_is_read_and_a_snippet_is_located_on_its_page() {
    let page = |text: &str| format!("BT /F 10 Tf 20 150 Td ({text}) Tj ET");
    let contents = [page("uno"), page("dos tres"), String::new(), page("cuatro")];
    let reading = read(pdf(&contents.each_ref().map(String::as_str), "")).unwrap();
    assert_eq!(reading.pages.len(), 4);
    let plain = reading.plain_text();
    assert_eq!(plain.text, "uno\ndos tres\ncuatro\n");
    let start = plain.text.find("cuatro").unwrap();
    assert_eq!(plain.locations(start..start + 6)[0].page, 4);
}

#[test]
fn files_that_are_not_pdfs_are_invalid() {
    for file in [&b""[..], b"hello", b"%PDF-1.4\n%%EOF", &pdf(&["BT ET"], "")[..60]] {
        assert_eq!(read(file.to_vec()), Err(PdfError::Invalid));
    }
}

#[test]
fn text_and_lines_of_the_test_pdf_writer_are_read() {
    let mut content = PageContent::default();
    content.text(Font::Bold, 14.0, (70.0, 760.0), "Año (2026)");
    content.line((70.0, 750.0), (300.0, 750.0));
    content.text(Font::Regular, 10.0, (70.0, 730.0), r"C:\datos");
    let file = Pdf::of_pages(&[content.into_string(), String::new()]).with_bold_font().file();
    let reading = read(file).unwrap();
    assert_eq!(texts(&reading), [vec!["Año", "(2026)"], vec![r"C:\datos"]]);
    assert_eq!(reading.pages.len(), 2);
}
