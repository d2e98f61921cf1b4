//! Text that opaque marks hide is kept apart. All other text is read.

use std::fmt::Write;

use super::*;

/// A label, and a value that the cases cover.
const TEXT: &str = "BT /F 10 Tf 20 150 Td (Chip:) Tj 40 0 Td (900123456789012) Tj ET";
/// The area of the value.
const AREA: &str = "58 145 90 16 re";

/// The visible and the covered words of a page with this content.
fn split(content: &str) -> (Vec<String>, Vec<String>) {
    split_file(pdf(&[content], ""))
}

fn split_file(file: Vec<u8>) -> (Vec<String>, Vec<String>) {
    let page = read(file).unwrap().pages.remove(0);
    let words = |lines: &[Line]| -> Vec<String> {
        lines.iter().flat_map(|line| &line.words).map(|word| word.text.clone()).collect()
    };
    (words(&page.lines), words(&page.covered))
}

/// Proves E59 for marks over text.
#[test]
fn text_under_an_opaque_mark_is_kept_apart() {
    let marks = [
        ("a black bar", format!("0 g {AREA} f")),
        ("a white box", format!("1 g {AREA} f")),
        ("a bar with a frame", format!("0 g {AREA} B")),
        ("a polygon", "0 g 58 144 m 150 145 l 150 162 l 57 161 l h f".to_owned()),
        ("a thick line", "0 G 16 w 58 153 m 148 153 l S".to_owned()),
        ("a pen", "0 G 1 J 1 j 14 w 60 152 m 80 154 l 110 152 l 150 154 l S".to_owned()),
        ("an image", "q 92 0 0 18 57 144 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q".to_owned()),
        ("two bars", "0 g 58 145 40 16 re f 97 145 60 16 re f".to_owned()),
        ("a bar below a translucent one", format!("0 g {AREA} f /Half gs 1 0 0 rg {AREA} f")),
    ];
    for (name, mark) in marks {
        let file = with_transparency(&format!("{TEXT} {mark}"));
        let (visible, covered) = split_file(file);
        assert_eq!(
            (visible, covered),
            (vec!["Chip:".to_owned()], vec!["900123456789012".to_owned()]),
            "{name}"
        );
    }
}

/// Proves E59 for text in the color of its mark.
#[test]
fn text_in_the_color_of_the_mark_below_it_is_kept_apart() {
    let (visible, covered) = split(&format!("0 g {AREA} f {TEXT}"));
    assert_eq!((visible, covered), (vec!["Chip:".to_owned()], vec!["900123456789012".to_owned()]));
}

#[test]
fn text_that_can_be_seen_is_read() {
    let marks = [
        ("white on a dark mark", format!("0.1 0.3 0.5 rg {AREA} f 1 g {TEXT}")),
        ("black on a white page", format!("1 g 0 0 300 200 re f 0 g {TEXT}")),
        ("a highlighter that multiplies", format!("{TEXT} /Multiply gs 1 1 0 rg {AREA} f")),
        ("a highlighter with transparency", format!("{TEXT} /Half gs 1 1 0 rg {AREA} f")),
        ("a line through it", format!("{TEXT} 0 G 1 w 58 153 m 150 153 l S")),
        ("a line below it", format!("{TEXT} 0 G 3 w 58 147 m 150 147 l S")),
        ("a frame", format!("{TEXT} 0 G 2 w {AREA} S")),
        ("rules of a table", format!("{TEXT} 0 g 58 145 92 0.8 re f 100 140 1 30 re f")),
        ("a mark that is cut off", format!("{TEXT} q 200 10 20 20 re W n 0 g 0 0 300 200 re f Q")),
        ("a mark elsewhere", format!("{TEXT} 0 g 58 100 90 16 re f")),
        ("a dashed line", format!("{TEXT} [2 4] 0 d 0 G 14 w 58 153 m 148 153 l S")),
        ("the same text again", format!("{TEXT} 1 g {AREA} f 0 g {TEXT}")),
        ("nothing", TEXT.to_owned()),
    ];
    for (name, content) in marks {
        let (visible, covered) = split_file(with_transparency(&content));
        assert_eq!((visible, covered), (words(&["Chip:", "900123456789012"]), Vec::new()), "{name}");
    }
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// A page with the graphics states `/Multiply` and `/Half`, which is half transparent.
fn with_transparency(content: &str) -> Vec<u8> {
    let options = PageOptions { size: SIZE, ..PageOptions::default() };
    let mut pdf = Pdf::with_options(&[content], &options);
    let states = "/ExtGState << /Multiply << /BM /Multiply >> /Half << /ca 0.5 >> >>";
    let page = String::from_utf8(pdf.clone().into_objects()[3].clone()).unwrap();
    pdf.replace(4, page.replace("/Resources <<", &format!("/Resources << {states}")));
    pdf.file()
}

/// Black hides text even if colors are multiplied.
#[test]
fn black_hides_text_in_every_blend_mode_that_darkens() {
    let (_, covered) = split_file(with_transparency(&format!("{TEXT} /Multiply gs 0 g {AREA} f")));
    assert_eq!(covered, ["900123456789012"]);
}

#[test]
fn a_mark_over_part_of_a_word_hides_only_that_part() {
    // A digit of Helvetica has a width of 5.56 points at this size: the bar starts after the fifth.
    let (visible, covered) = split(&format!("{TEXT} 0 g 87.7 145 70 16 re f"));
    assert_eq!((visible, covered), (words(&["Chip:", "90012"]), words(&["3456789012"])));
}

/// The text layer of a scan has the words that the image shows. A bar over the scan hides them all the same.
#[test]
fn the_text_layer_of_a_scan_is_read_unless_a_mark_lies_over_the_scan() {
    let image = "q 300 0 0 200 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
    let strips: String = (0..10).fold(String::new(), |mut strips, strip| {
        write!(strips, "q 300 0 0 20 0 {} cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q ", strip * 20).unwrap();
        strips
    });
    let invisible = TEXT.replace("BT", "BT 3 Tr");
    let both = words(&["Chip:", "900123456789012"]);
    for scan in [
        format!("{image} {invisible}"),
        format!("{invisible} {image}"),
        format!("{TEXT} {image}"),
        format!("{TEXT} {strips}"),
        format!("1 g 0 0 300 200 re f {image} 0 g {invisible}"),
    ] {
        assert_eq!(split(&scan), (both.clone(), Vec::new()), "{scan}");
        let (visible, covered) = split(&format!("{scan} 0 g {AREA} f"));
        assert_eq!((visible, covered), (words(&["Chip:"]), words(&["900123456789012"])), "{scan}");
    }
    let picture = "q 92 0 0 18 57 144 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q";
    let (_, covered) = split(&format!("{image} {TEXT} {picture}"));
    assert_eq!(covered, ["900123456789012"], "an image over text that stands on a background image");
}

#[test]
fn marks_hide_text_on_rotated_pages_and_in_forms() {
    let covered = |file| split_file(file).1;
    let bar = format!("{TEXT} 0 g {AREA} f");
    for rotation in ["/Rotate 90", "/Rotate 180", "/CropBox [10 100 290 190]"] {
        assert_eq!(covered(pdf(&[&bar], rotation)), ["900123456789012"], "{rotation}");
    }
    let turned = format!("q 0.7 0.7 -0.7 0.7 100 -30 cm {bar} Q");
    assert_eq!(covered(pdf(&[&turned], "")), ["900123456789012"]);
}

#[test]
fn a_mark_of_an_annotation_hides_text() {
    let options = PageOptions { size: SIZE, page_entries: "/Annots [6 0 R]", ..PageOptions::default() };
    let mut pdf = Pdf::with_options(&[TEXT], &options);
    pdf.object("<< /Type /Annot /Subtype /Square /Rect [58 145 148 161] /AP << /N 7 0 R >> >>");
    pdf.stream("/Type /XObject /Subtype /Form /BBox [0 0 90 16]", b"0 g 0 0 90 16 re f");
    assert_eq!(split_file(pdf.file()), (words(&["Chip:"]), words(&["900123456789012"])));
}

#[test]
fn covered_text_can_be_read_like_visible_text() {
    let file = PdfFile::open(pdf(&[&format!("{TEXT} 0 g {AREA} f")], "")).unwrap();
    let page = file.read_pages(0, CoveredText::Read).next().unwrap().page;
    assert_eq!((page.word_count(), page.covered_word_count()), (2, 1));
}

/// Each mark decides the points that it contains once. If every mark looked at every glyph, this test would take hours.
#[test]
fn a_page_with_a_hundred_thousand_marks_is_read() {
    let mut content = String::new();
    for number in 0..100_000 {
        let (x, y) = (number % 270, number / 270 % 170);
        write!(content, "0 g {x} {y} 25 25 re f BT /F 8 Tf {x} {y} Td (ab) Tj ET ").unwrap();
    }
    let page = read(pdf(&[&content], "")).unwrap().pages.remove(0);
    assert!(page.covered_word_count() > 0);
}
