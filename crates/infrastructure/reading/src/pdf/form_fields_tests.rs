//! Tests with forms whose values have no appearance.

use proptest::prelude::*;
use quire_domain::reading::Page;
use quire_testkit::documents::{PageOptions, Pdf};

use super::super::PdfFile;
use super::*;
use crate::CoveredText;

/// The page of a PDF with these annotations, further page entries, and further objects, which are numbered from 6.
fn page_with(annotations: &str, page_entries: &str, objects: &[&str]) -> Page {
    let page_entries = format!("/Annots [{annotations}] {page_entries}");
    let options = PageOptions { size: (300.0, 200.0), page_entries: &page_entries, ..PageOptions::default() };
    let mut pdf = Pdf::with_options(&[""], &options);
    for object in objects {
        pdf.object(*object);
    }
    PdfFile::open(pdf.file()).unwrap().read_pages(0, CoveredText::Apart).next().unwrap().page
}

fn page(annotations: &str) -> Page {
    page_with(annotations, "", &[])
}

fn texts(annotations: &str) -> Vec<String> {
    let line = |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    page(annotations).lines.iter().map(line).collect()
}

fn field(entries: &str) -> String {
    format!("<< /Type /Annot /Subtype /Widget /Rect [50 100 200 120] {entries} >>")
}

#[test]
fn values_of_fields_and_notes_are_placed_within_their_rectangles() {
    let note = "<< /Type /Annot /Subtype /FreeText /Rect [10 10 290 40] /Contents (ver nota) >>";
    let page = page(&(field("/FT /Tx /V (Luna, felina)") + note));
    assert_eq!(page.lines.len(), 2);
    let words: Vec<&str> = page.lines[0].words.iter().map(|word| word.text.as_str()).collect();
    assert_eq!(words, ["Luna,", "felina"]);
    for word in &page.lines[0].words {
        let rect = word.rect;
        assert!(rect.x0 >= 50.0 && rect.x1 <= 200.0 && rect.y0 >= 80.0 && rect.y1 <= 100.0, "{rect:?}");
        assert!(rect.x0 < rect.x1 && rect.y0 < rect.y1);
    }
    assert!(page.lines[0].words[0].rect.x1 < page.lines[0].words[1].rect.x0);
    assert!(page.lines.iter().all(|line| line.opens_paragraph));
}

#[test]
fn a_rotated_page_rotates_its_field_values() {
    let rotated = page_with(&field("/FT /Tx /V (x)"), "/Rotate 90", &[]);
    let rect = rotated.lines[0].words[0].rect;
    assert!(rect.x0 >= 100.0 && rect.x1 <= 120.0 && rect.y0 >= 50.0 && rect.y1 <= 200.0, "{rect:?}");
}

#[test]
fn type_and_value_are_inherited_and_a_choice_may_have_several_values() {
    assert_eq!(
        texts(
            "<< /Subtype /Widget /Rect [50 100 200 120] /Parent << /FT /Tx /Parent << /V (de arriba) >> >> >>"
        ),
        ["de arriba"]
    );
    assert_eq!(texts(&field("/FT /Ch /V [(uno) (dos)]")), ["uno", "dos"]);
    assert_eq!(texts(&field("/FT /Ch /V (uno)")), ["uno"]);
}

#[test]
fn values_are_decoded_by_their_byte_order_mark() {
    assert_eq!(texts(&field("/FT /Tx /V <FEFF00410F1100F1>")), ["A\u{F11}ñ"]);
    assert_eq!(texts(&field("/FT /Tx /V <EFBBBFC3B1>")), ["ñ"]);
    assert_eq!(texts(&field("/FT /Tx /V <F1A08D41>")), ["ñ€“A"]);
}

#[test]
fn hidden_empty_and_password_fields_are_skipped() {
    let skipped = [
        field("/FT /Tx /V (oculto) /F 2"),
        field("/FT /Tx /V (oculto) /F 32"),
        field("/FT /Btn /V (x)"),
        field("/FT /Tx /V (clave) /Ff 8192"),
        field("/FT /Tx /V ( )"),
        field("/FT /Tx"),
        "<< /Subtype /Widget /FT /Tx /V (x) /Rect [0 0 0 0] >>".to_owned(),
        "<< /Subtype /Widget /FT /Tx /V (x) /Rect [900 900 950 950] >>".to_owned(),
        "<< /Subtype /Widget /FT /Tx /V (x) >>".to_owned(),
        "<< /Subtype /Link /Contents (x) /Rect [50 100 200 120] >> null 7 999 0 R".to_owned(),
    ];
    assert_eq!(texts(&skipped.concat()), Vec::<String>::new());
    let last = skipped.concat() + &field("/FT /Tx /V (queda)");
    assert_eq!(texts(&last), ["queda"], "a skipped field does not hide the next one");
}

#[test]
fn the_state_of_a_checkbox_is_a_word_at_its_place() {
    let page = page(&field("/FT /Btn /V /Yes /AS /Yes"));
    assert_eq!(page.lines[0].words[0].text, CHECKED);
    let rect = page.lines[0].words[0].rect;
    assert!(rect.x0 >= 50.0 && rect.x1 <= 200.0 && rect.y0 >= 80.0 && rect.y1 <= 100.0, "{rect:?}");
    assert_eq!(texts(&field("/FT /Btn /AS /Off")), [UNCHECKED]);
    assert_eq!(texts(&field("/Parent << /FT /Btn /Ff 32768 /V /hembra >> /AS /hembra")), [CHECKED]);
    assert_eq!(texts(&field("/Parent << /FT /Btn /Ff 32768 /V /hembra >> /AS /Off")), [UNCHECKED]);
    assert_eq!(texts(&field("/FT /Btn /Ff 65536 /AS /Yes")), Vec::<String>::new(), "a push button");
}

/// The words of a field with this appearance.
fn with_appearance(appearance: &str) -> Vec<String> {
    let stream = format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 150 20] /Resources << /Font << /F 3 0 R >> >> /Length {} >>\n\
         stream\n{appearance}\nendstream",
        appearance.len()
    );
    let lines = page_with(&field("/FT /Tx /V (valor) /AP << /N 6 0 R >>"), "", &[&stream]).lines;
    lines.iter().flat_map(|line| &line.words).map(|word| word.text.clone()).collect()
}

#[test]
fn a_value_with_an_appearance_is_read_once_and_one_with_an_empty_appearance_too() {
    assert_eq!(with_appearance("/Tx BMC EMC"), ["valor"]);
    let drawn = with_appearance("/Tx BMC BT /F 10 Tf 2 5 Td (dibujado) Tj ET EMC");
    assert_eq!(drawn, ["dibujado"]);
}

#[test]
fn long_values_wrap_and_stay_within_the_field() {
    let long = "palabra ".repeat(80);
    let page = page(&field(&format!("/FT /Tx /V ({long})")));
    let words: Vec<&Word> = page.lines.iter().flat_map(|line| &line.words).collect();
    assert_eq!(words.len(), 80);
    assert!(words.iter().all(|word| word.rect.y1 <= 100.01 && word.rect.x1 <= 200.01));
}

#[test]
fn the_number_of_characters_and_fields_is_limited() {
    let value = "x".repeat(1000);
    let many = field(&format!("/FT /Tx /V ({value})")).repeat(300);
    let letters: usize =
        page(&many).lines.iter().flat_map(|line| &line.words).map(|word| word.text.len()).sum();
    assert_eq!(letters, MAX_CHARACTERS);
    let many = field("/FT /Tx /V (x)").repeat(MAX_ANNOTATIONS + 10);
    assert_eq!(page(&many).lines.len(), MAX_ANNOTATIONS);
}

#[test]
fn the_number_of_parents_is_limited() {
    let nested = |depth: usize| "/Parent <<".repeat(depth) + "/FT /Tx /V (x)" + &">>".repeat(depth);
    assert_eq!(texts(&field(&nested(31))), ["x"]);
    assert_eq!(texts(&field(&nested(32))), Vec::<String>::new());
    let own_parent = page_with(&field("/Parent 6 0 R"), "", &["<< /Parent 6 0 R >>"]);
    assert_eq!(own_parent.lines, []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_value_in_any_rectangle_is_placed_or_skipped(
        value in prop::collection::vec(any::<u8>(), 0..80),
        rect in prop::array::uniform4(-50i32..400),
    ) {
        use std::fmt::Write;
        let hex = value.iter().fold(String::new(), |mut hex, byte| { write!(hex, "{byte:02x}").unwrap(); hex });
        let [x0, y0, x1, y1] = rect;
        let page = page(&format!("<< /Subtype /Widget /FT /Tx /Rect [{x0} {y0} {x1} {y1}] /V <{hex}> >>"));
        for word in page.lines.iter().flat_map(|line| &line.words) {
            prop_assert!(word.rect.x0 <= word.rect.x1 && word.rect.y0 <= word.rect.y1);
        }
    }
}
