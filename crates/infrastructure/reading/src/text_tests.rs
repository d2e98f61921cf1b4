//! Tests of decoding and laying out text files.

use proptest::prelude::*;
use quire_domain::reading::Line;

use super::*;

/// The lines of each page.
fn pages(file: &[u8]) -> Vec<String> {
    let line =
        |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ") + "\n";
    read(file).unwrap().iter().map(|read| read.page.lines.iter().map(line).collect()).collect()
}

fn plain(file: &[u8]) -> String {
    pages(file).concat()
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn every_encoding_decodes_to_the_same_text() {
    let text = "Año: 80 €, «mañana» – sí";
    let windows_1252: Vec<u8> = text
        .chars()
        .map(|letter| match letter {
            '€' => 0x80,
            '–' => 0x96,
            other => u8::try_from(other).unwrap(),
        })
        .collect();
    assert_eq!(decode(text.as_bytes()), text);
    assert_eq!(decode(format!("\u{FEFF}{text}").as_bytes()), text);
    assert_eq!(decode(&utf16(text, u16::to_le_bytes)), text);
    assert_eq!(decode(&utf16(text, u16::to_be_bytes)), text);
    assert_eq!(decode(&windows_1252), text);
}

#[test]
fn a_lone_surrogate_is_replaced_and_an_odd_last_byte_is_dropped() {
    assert_eq!(decode(b"\xfe\xff\xd8\x3d\0a\xdc\0\0b\0"), "\u{FFFD}a\u{FFFD}b");
    assert_eq!(decode(b"\xff\xfe\x3d\xd8"), "\u{FFFD}");
    assert_eq!(decode(b"\x81 \xff"), "\u{FFFD} ÿ");
}

#[test]
fn line_breaks_are_kept_and_empty_lines_start_paragraphs() {
    let file = b"# Luna\r\n\r\nPeso: 4,2 kg\rRaza: com\xfan\n \t\n\n\nfin\n";
    assert_eq!(plain(file), "# Luna\nPeso: 4,2 kg\nRaza: común\nfin\n");
    let read = read(file).unwrap();
    let opens: Vec<bool> = read[0].page.lines.iter().map(|line| line.opens_paragraph).collect();
    assert_eq!(opens, [true, true, false, true]);
}

#[test]
fn form_feeds_start_pages() {
    assert_eq!(pages(b"uno\n\x0c\n\ndos\n\x0ctres"), ["uno\n", "dos\n", "tres\n"]);
}

#[test]
fn an_empty_file_is_an_empty_page() {
    assert_eq!(plain(b""), "");
    assert_eq!(read(b"").unwrap().len(), 1);
}

proptest! {
    #[test]
    fn any_bytes_can_be_read(
        mark in prop::sample::select(vec![&b""[..], b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"]),
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        prop_assert!(read(&[mark, &rest].concat()).is_ok());
    }

    #[test]
    fn words_are_read_in_order(words in prop::collection::vec("[a-zñ]{1,20}", 0..60)) {
        let text = plain(words.join("\n").as_bytes());
        prop_assert_eq!(text.split_whitespace().collect::<Vec<_>>(), words);
    }
}
