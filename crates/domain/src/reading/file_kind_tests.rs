//! Detection of file kinds: real files, and files that resemble another kind.

use proptest::prelude::*;

use super::*;

/// A zip file of empty stored entries: local headers, then the directory.
fn zip(names: &[&str]) -> Vec<u8> {
    let mut file = Vec::new();
    for name in names {
        file.extend(b"PK\x03\x04");
        file.extend([0; 22]);
        file.extend([u8::try_from(name.len()).unwrap(), 0, 0, 0]);
        file.extend(name.bytes());
    }
    for name in names {
        file.extend(b"PK\x01\x02");
        file.extend([0; 24]);
        file.extend([u8::try_from(name.len()).unwrap(), 0]);
        file.extend([0; 16]);
        file.extend(name.bytes());
    }
    file
}

fn utf16(text: &str, mark: u16, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(mark).chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn each_kind_is_detected_by_its_content() {
    let docx = zip(&["[Content_Types].xml", "word/document.xml"]);
    let late_header = [vec![b'\n'; 1019], b"%PDF-1.7".to_vec()].concat();
    let cases: [(&[u8], FileKind); 12] = [
        (b"%PDF-1.4\n", FileKind::Pdf),
        (&late_header, FileKind::Pdf),
        (b"\x89PNG\r\n\x1a\n", FileKind::Png),
        (b"\xff\xd8\xff\xe0", FileKind::Jpeg),
        (&docx, FileKind::Docx),
        (b"# Luna\n\n- vomits\n", FileKind::Text),
        ("\u{FEFF}Peso: 4,2 kg\r\n\u{c}Año".as_bytes(), FileKind::Text),
        (b"A\xf1o: 80 \x80", FileKind::Text),
        (&utf16("Año", 0xFEFF, u16::to_le_bytes), FileKind::Text),
        (&utf16("Año", 0xFEFF, u16::to_be_bytes), FileKind::Text),
        (b"<header> is no page, <htmlish> neither", FileKind::Text),
        (b"<!-- a note --> # Markdown", FileKind::Text),
    ];
    for (file, kind) in cases {
        let name = String::from_utf8_lossy(file).into_owned();
        assert_eq!(FileKind::sniff(file), Some(kind), "{name:?}");
    }
}

#[test]
fn unsupported_files_have_no_kind() {
    let late_header = [vec![0; 1020], b"%PDF-1.7".to_vec()].concat();
    let holds_a_pdf = [zip(&["record.pdf"]), b"%PDF-1.7".to_vec()].concat();
    let says_it_only = [zip(&["a.txt"]), b"word/document.xml".to_vec()].concat();
    let cases: [&[u8]; 23] = [
        b"",
        b" \n\t\r\n",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xff\xfe\0",
        &late_header,
        &holds_a_pdf,
        &says_it_only,
        &zip(&["xl/workbook.xml"]),
        &zip(&["word/document.xml.rels"]),
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"\x7fELF\x02\x01\x01\0",
        b"MZ\x90\0\x03",
        b"GIF89a,,,,",
        b"II*\0",
        b"plain until \x07 rings",
        b"nothing in Windows-1252 is \x81",
        b"<!DOCTYPE html><p>x",
        b"\n <HTML lang=es>",
        b"<!-- saved --> <!-- twice --><html>",
        "\u{FEFF}<?xml version=\"1.0\"?>".as_bytes(),
        &utf16("<svg>", 0xFEFF, u16::to_le_bytes),
        b"{\\rtf1\\ansi x}",
    ];
    for file in cases {
        assert_eq!(FileKind::sniff(file), None, "{:?}", String::from_utf8_lossy(file));
    }
}

#[test]
fn xml_is_a_kind_only_if_its_root_is_known() {
    let ubl = "<Invoice xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2\">";
    let cii = "<?xml version=\"1.0\"?>\n<!-- made -->\n<rsm:CrossIndustryInvoice xmlns:rsm='urn:un:unece:uncefact:data:x'/>";
    let late = format!("{}{ubl}", "<!-- ".to_owned() + &"x".repeat(9000) + " -->");
    for known in [ubl.as_bytes(), cii.as_bytes(), &utf16(ubl, 0xFEFF, u16::to_le_bytes)] {
        assert_eq!(FileKind::sniff(known), Some(FileKind::Xml));
    }
    let others = [
        "<Invoice xmlns=\"urn:other\"/>",
        "<Order xmlns=\"urn:oasis:names:specification:ubl:schema:xsd:Order-2\"/>",
        "<?xml version=\"1.0\"",
        "<!DOCTYPE Invoice [<!ENTITY a \"b\">]><Invoice xmlns=\"urn:ferd:\"/>",
        late.as_str(),
    ];
    for other in others {
        assert_ne!(FileKind::sniff(other.as_bytes()), Some(FileKind::Xml), "{other:.60}");
    }
}

#[test]
fn kinds_parse_from_their_names() {
    for kind in FileKind::ALL {
        assert_eq!(FileKind::parse(kind.as_str()), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        assert!(kind.media_type().contains('/') && !kind.extension().contains('.'));
    }
    let error = FileKind::parse("gif").unwrap_err().to_string();
    assert_eq!(error, "unknown kind of file \"gif\"; use one of: pdf, png, jpeg, docx, text, xml");
}

/// Only linear work gets through 16 MB of near matches in the time of a test.
#[test]
fn long_files_that_nearly_match_take_linear_time() {
    let mut nearly_docx = zip(&["a.txt"]);
    nearly_docx.extend(b"word/document.xm".repeat(1 << 20));
    assert_eq!(FileKind::sniff(&nearly_docx), None);
    let comments = b"<!--".repeat(4 << 20);
    assert_eq!(FileKind::sniff(&comments), Some(FileKind::Text));
}

proptest! {
    #[test]
    fn sniffing_any_bytes_does_not_panic(
        start in prop::sample::select(vec![&b""[..], b"PK\x03\x04", b"\xff\xfe", b"\xfe\xff", b"%PDF", b"<!--"]),
        rest in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let file = [start, &rest].concat();
        if start == b"PK\x03\x04" {
            prop_assert_eq!(FileKind::sniff(&file), None);
        } else {
            let _ = FileKind::sniff(&file);
        }
    }

    #[test]
    fn ordinary_words_are_text_in_every_encoding(text in "[a-zñáéíóúü]{1,12}( [a-zñáéíóúü]{1,12}){0,8}") {
        prop_assert_eq!(FileKind::sniff(text.as_bytes()), Some(FileKind::Text));
        prop_assert_eq!(FileKind::sniff(&utf16(&text, 0xFEFF, u16::to_be_bytes)), Some(FileKind::Text));
        let bytes: Vec<u8> = text.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
        prop_assert_eq!(FileKind::sniff(&bytes), Some(FileKind::Text));
    }
}
