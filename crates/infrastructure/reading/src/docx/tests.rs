//! Tests with generated Word documents, including broken and hostile archives.

use std::io::{Cursor, Write};

use proptest::prelude::*;
use quire_domain::reading::Line;
use zip::CompressionMethod::{Deflated, Stored};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;

fn docx(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (index, (name, content)) in parts.iter().enumerate() {
        let method = if index % 2 == 0 { Deflated } else { Stored };
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn document(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<w:document xmlns:w=\"urn:w\"><w:body>{body}</w:body></w:document>"
    )
}

fn with_body(body: &str) -> Vec<u8> {
    docx(&[("word/document.xml", &document(body))])
}

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// The lines of each page.
fn pages(file: &[u8]) -> Vec<String> {
    let line =
        |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ") + "\n";
    read(file).unwrap().iter().map(|read| read.page.lines.iter().map(line).collect()).collect()
}

fn text(body: &str) -> String {
    pages(&with_body(body)).concat()
}

#[test]
fn runs_tabs_and_line_breaks_of_a_paragraph_are_read() {
    let body = "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t>Pe</w:t></w:r><w:r>\
                <w:t xml:space=\"preserve\">so: </w:t><w:tab/><w:t>4,2</w:t><w:br/><w:t>kg &amp; m&#225;s</w:t></w:r></w:p>";
    assert_eq!(text(&(body.to_owned() + &paragraph("Año"))), "Peso: 4,2\nkg & más\nAño\n");
    let reading = read(&with_body(&paragraph("uno dos"))).unwrap();
    assert!(reading[0].page.lines[0].opens_paragraph);
}

#[test]
fn page_breaks_start_pages() {
    let body = "<w:p><w:r><w:t>uno</w:t><w:br w:type=\"page\"/><w:t>dos</w:t></w:r></w:p>\
                <w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>\
                <w:p><w:r><w:t>tres</w:t><w:br w:type=\"column\"/><w:t>cuatro</w:t></w:r></w:p>\
                <w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r><w:t>cinco</w:t></w:r></w:p>\
                <w:p><w:pPr><w:pageBreakBefore w:val=\"0\"/></w:pPr><w:r><w:t>seis</w:t></w:r></w:p>";
    assert_eq!(pages(&with_body(body)), ["uno\n", "dos\n", "tres\ncuatro\n", "cinco\nseis\n"]);
}

#[test]
fn tables_are_read_row_by_row_also_within_cells() {
    let cell = |content: &str| format!("<w:tc>{content}</w:tc>");
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let inner = format!("<w:tbl>{}</w:tbl>", row(&[cell(&paragraph("a")), cell(&paragraph("b"))]));
    let outer = [
        row(&[cell(&paragraph("Peso")), cell(&paragraph("4,2 kg"))]),
        row(&[cell(&paragraph("Vacunas")), cell(&(inner + &paragraph("c")))]),
        row(&[cell("<w:p/>"), cell("")]),
    ];
    let body = format!("<w:tbl>{}</w:tbl>{}", outer.concat(), paragraph("fin"));
    assert_eq!(text(&body), "Peso 4,2 kg\nVacunas\na b\nc\nfin\n");
}

#[test]
fn headers_come_first_and_footers_last_without_repetition() {
    let part = |text: &str| format!("<w:hdr>{}</w:hdr>", paragraph(text));
    let file = docx(&[
        ("word/footer1.xml", &part("pie")),
        ("word/header10.xml", &part("otra cabeza")),
        ("word/header2.xml", &part("cabeza")),
        ("word/header1.xml", &part("cabeza")),
        ("word/footnotes.xml", &part("nota")),
        ("word/endnotes.xml", &part("nota final")),
        ("word/headerless.xml", &part("nada")),
        ("word/comments.xml", &part("comentario")),
        ("word/document.xml", &document(&paragraph("cuerpo"))),
    ]);
    assert_eq!(pages(&file).concat(), "cabeza\notra cabeza\ncuerpo\nnota\nnota final\npie\n");
}

#[test]
fn text_in_boxes_and_links_is_read_and_only_one_of_the_alternatives() {
    let text_box = |text: &str| format!("<w:txbxContent>{}</w:txbxContent>", paragraph(text));
    let body = format!(
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wp:posOffset>77</wp:posOffset>{}\
         </w:drawing></mc:Choice><mc:Fallback><w:pict>{}</w:pict></mc:Fallback></mc:AlternateContent></w:r>\
         <w:hyperlink r:id=\"x\"><w:r><w:t>enlace</w:t></w:r></w:hyperlink></w:p>\
         <mc:AlternateContent><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>",
        text_box("caja"),
        text_box("caja antigua"),
        paragraph("solo antigua")
    );
    assert_eq!(text(&body), "enlace\ncaja\nsolo antigua\n");
}

#[test]
fn insertions_are_read_and_deletions_and_field_instructions_are_not() {
    let body = "<w:p><w:ins><w:r><w:t>nuevo </w:t></w:r></w:ins><w:del><w:r><w:delText>viejo</w:delText><w:br/>\
                <w:t>viejo</w:t></w:r></w:del><w:moveFrom><w:r><w:t>antes</w:t></w:r></w:moveFrom><w:moveTo><w:r>\
                <w:t>después</w:t></w:r></w:moveTo><w:r><w:fldChar/><w:instrText> PAGE </w:instrText><w:t> 7</w:t></w:r>\
                </w:p>";
    assert_eq!(text(body), "nuevo después 7\n");
}

#[test]
fn a_document_without_text_is_an_empty_page() {
    assert_eq!(pages(&with_body("<w:p/>")), [""]);
}

#[test]
fn files_that_are_not_word_documents_are_invalid() {
    let whole = with_body(&paragraph("uno"));
    let cut = |bytes: usize| whole[..whole.len() - bytes].to_vec();
    let cases = [
        vec![],
        b"PK\x03\x04".to_vec(),
        cut(10),
        cut(100),
        docx(&[("word/other.xml", "<w:p/>")]),
        docx(&[("word/document.xml", "<w:p><w:r></w:p>")]),
        docx(&[("word/document.xml", "<w:p><w:r>")]),
        docx(&[("word/document.xml", &document(&paragraph("&nbsp;")))]),
        docx(&[("word/document.xml", &document(&paragraph("&#x110000;")))]),
    ];
    for file in cases {
        assert_eq!(read(&file), Err(DocxError::Invalid));
    }
}

#[test]
fn a_document_type_is_refused_before_its_entities_are_read() {
    let laughs = "<!DOCTYPE d [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><d>&b;</d>";
    assert_eq!(read(&docx(&[("word/document.xml", laughs)])), Err(DocxError::Doctype));
}

#[test]
fn a_million_nested_tags_are_refused_and_two_hundred_are_read() {
    let nested = |times: usize| "<w:x>".repeat(times) + &paragraph("hondo") + &"</w:x>".repeat(times);
    assert_eq!(text(&nested(200)), "hondo\n");
    assert_eq!(read(&with_body(&nested(1_000_000))), Err(DocxError::TooDeep));
}

#[test]
fn a_row_with_too_many_cells_is_refused() {
    let body = format!("<w:tbl><w:tr>{}</w:tr></w:tbl>", "<w:tc/>".repeat(5_000));
    assert_eq!(read(&with_body(&body)), Err(DocxError::TooLarge));
}

/// A zip archive with one entry, whose header has these sizes.
fn zip_with_sizes(compressed: &[u8], claimed_size: u32, claimed_compressed: u32) -> Vec<u8> {
    let name = b"word/document.xml";
    // Method 8 is deflate. The checksum is wrong too.
    let write_header = |file: &mut Vec<u8>| {
        file.extend([20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
        file.extend(claimed_compressed.to_le_bytes());
        file.extend(claimed_size.to_le_bytes());
        file.extend([17, 0, 0, 0]);
    };
    let mut file = b"PK\x03\x04".to_vec();
    write_header(&mut file);
    file.extend(name);
    file.extend(compressed);
    let directory = file.len();
    file.extend(b"PK\x01\x02\x14\0");
    write_header(&mut file);
    file.extend([0; 14]);
    file.extend(name);
    let length = file.len() - directory;
    file.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    file.extend(u32::try_from(length).unwrap().to_le_bytes());
    file.extend(u32::try_from(directory).unwrap().to_le_bytes());
    file.extend([0, 0]);
    file
}

/// A gigabyte of one letter, deflated by hand: each 13 bits after the first letter repeat it 258 times.
fn a_gigabyte() -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    let mut push =
        |value: u16, length: u8| (0..length).rev().for_each(|bit| bits.push(value >> bit & 1 == 1));
    // The header of the last block with fixed codes, lowest bit first. Then the letter `a`.
    push(0b1_10, 3);
    push(0x30 + u16::from(b'a'), 8);
    // Length 258 at distance 1. Eight of these codes fill 13 bytes.
    for _ in 0..16 {
        push(0b1100_0101, 8);
        push(0, 5);
    }
    let bytes: Vec<u8> =
        bits.chunks(8).map(|bits| (0..).zip(bits).map(|(at, bit)| u8::from(*bit) << at).sum()).collect();
    let (start, period) = bytes.split_at(2);
    [start, &period[..13].repeat((1 << 30) / 258 / 8)].concat()
}

#[test]
fn a_decompression_bomb_is_refused_whatever_its_header_claims() {
    let bomb = a_gigabyte();
    assert!(bomb.len() < 8_000_000);
    let length = u32::try_from(bomb.len()).unwrap();
    assert_eq!(read(&zip_with_sizes(&bomb, 1 << 30, length)), Err(DocxError::TooLarge));
    // A part that is larger than its header claims is invalid. So is a truncated one, and one longer than the file.
    assert_eq!(read(&zip_with_sizes(&bomb, 10, length)), Err(DocxError::Invalid));
    assert_eq!(read(&zip_with_sizes(&bomb[..100], 10, 100)), Err(DocxError::Invalid));
    assert_eq!(read(&zip_with_sizes(&bomb[..100], 10, 1 << 30)), Err(DocxError::Invalid));
}

#[test]
fn the_sum_of_all_parts_is_limited_too() {
    let file = docx(&[("a", "123456"), ("b", "123456"), ("c", "1234")]);
    let mut archive = DocxArchive::open(&file).unwrap();
    archive.bytes_left = 10;
    assert_eq!(archive.part("a"), Ok(Some("123456".to_owned())));
    assert_eq!(archive.part("b"), Err(DocxError::TooLarge));
    assert_eq!(archive.part("c"), Ok(Some("1234".to_owned())), "exactly what is left");
    assert_eq!(archive.part("d"), Ok(None));
}

#[test]
fn an_archive_with_too_many_entries_is_refused() {
    let mut file = with_body(&paragraph("uno"));
    file.extend(b"PK\x01\x02".repeat(10_001));
    assert_eq!(read(&file), Err(DocxError::TooLarge));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn damaged_documents_never_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..10),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut file = docx(&[("word/header1.xml", "<w:hdr/>"), ("word/document.xml", &document(&paragraph("uno dos")))]);
        for (index, byte) in damage {
            let at = index.index(file.len());
            file[at] = byte;
        }
        file.truncate(file.len().min(cut.index(file.len() * 2)));
        let _ = read(&file);
    }

    #[test]
    fn any_sequence_of_elements_is_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<w:p>", "</w:p>", "<w:r>", "</w:r>", "<w:t>x</w:t>", "<w:tr>", "</w:tr>", "<w:tc>", "</w:tc>", "<w:br/>",
            "<mc:AlternateContent>", "</mc:AlternateContent>", "<mc:Choice>", "</mc:Choice>", "<w:del>", "</w:del>",
            "&lt;", "y", "<![CDATA[z]]>", "<!-- -->",
        ]), 0..24),
    ) {
        let _ = markup::parse_blocks(&pieces.concat());
    }
}
