//! PDFs written here, byte by byte, and what is read from them.

#[path = "order_tests.rs"]
mod order_tests;
#[path = "sound_tests.rs"]
mod sound_tests;

use quire_domain::reading::Reading;

use super::*;

fn read(file: Vec<u8>) -> Result<Reading, PdfError> {
    let file = PdfFile::open(file)?;
    Ok(Reading { pages: file.read_pages().map(|read| read.page).collect() })
}

/// A PDF of one page per content stream, in the standard font at the sizes the streams ask for.
fn pdf(contents: &[&str], page_extra: &str) -> Vec<u8> {
    pdf_in_font(contents, page_extra, "/Encoding /WinAnsiEncoding", &[])
}

/// The same with a font that has these entries. Further objects are numbered after those of the pages.
fn pdf_in_font(contents: &[&str], page_extra: &str, font: &str, further: &[String]) -> Vec<u8> {
    let count = contents.len();
    let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {count} >>", kids.join(" ")),
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {font} >>"),
    ];
    for (page, content) in contents.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents {} 0 R \
             /Resources << /Font << /F 3 0 R >> >> {page_extra} >>",
            5 + 2 * page
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    objects.extend_from_slice(further);
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        offsets.push(file.len());
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let trailer =
        format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    file.extend(trailer.bytes());
    file
}

fn texts(reading: &Reading) -> Vec<Vec<String>> {
    let lines = reading.pages.iter().flat_map(|page| &page.lines);
    lines.map(|line| line.words.iter().map(|word| word.text.clone()).collect()).collect()
}

#[test]
fn words_and_lines_are_told_apart_by_where_the_pen_goes() {
    let content = "BT /F 10 Tf 20 150 Td (Paciente: Luna) Tj 0 -14 Td [(Pe) 20 (so) -400 (4,2) -300 (kg)] TJ \
                   0 -14 Td (Dueno) Tj 150 0 Td (Telefono) Tj ET";
    let reading = read(pdf(&[content], "")).unwrap();
    assert_eq!(
        texts(&reading),
        [vec!["Paciente:", "Luna"], vec!["Peso", "4,2", "kg"], vec!["Dueno"], vec!["Telefono"]]
    );
}

#[test]
fn places_are_in_points_from_the_top_left_of_the_upright_page() {
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

    let turned = read(pdf(&[content], "/Rotate 90")).unwrap();
    let (page, word) = (&turned.pages[0], &turned.pages[0].lines[0].words[0]);
    assert_eq!((page.width.to_bits(), page.height.to_bits()), (200f32.to_bits(), 300f32.to_bits()));
    assert_eq!(word.text, "Luna");
    assert!(near(word.rect.y0, 20.0) && near(word.rect.y1, 42.24), "{:?}", word.rect);
}

#[test]
fn invisible_text_is_read_and_text_drawn_twice_is_read_once() {
    let content = "BT /F 10 Tf 3 Tr 20 150 Td (escaneado) Tj 2 Tr 0 -14 Td (negrita) Tj ET";
    let reading = read(pdf(&[content], "")).unwrap();
    assert_eq!(texts(&reading), [["escaneado"], ["negrita"]]);
}

/// Proves R087 from the file on: a snippet is found on the page it stands on.
#[test]
fn every_page_is_read_and_a_snippet_leads_back_to_its_page() {
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
fn what_is_no_pdf_is_said_to_be_none() {
    for file in [&b""[..], b"hello", b"%PDF-1.4\n%%EOF", &pdf(&["BT ET"], "")[..60]] {
        assert_eq!(read(file.to_vec()), Err(PdfError::Invalid));
    }
}
