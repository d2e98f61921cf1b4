//! Tests of reading order, directions and paragraphs, each on a page made for it.

use std::fmt::Write;

use super::*;

/// Text at a position in points from the bottom left.
fn at(x: i32, y: i32, text: &str) -> String {
    sized(10, x, y, text)
}

fn sized(size: i32, x: i32, y: i32, text: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

const LARGE_PAGE: PageOptions<'_> =
    PageOptions { size: (600.0, 800.0), page_entries: "", font_entries: "/Encoding /WinAnsiEncoding" };

fn page_of(parts: &[String]) -> Reading {
    read(Pdf::with_options(&[parts.concat()], &LARGE_PAGE).file()).unwrap()
}

/// The lines of all pages, with a space between words.
fn lines(reading: &Reading) -> Vec<String> {
    texts(reading).iter().map(|words| words.join(" ")).collect()
}

fn opens(reading: &Reading) -> Vec<bool> {
    reading.pages[0].lines.iter().map(|line| line.opens_paragraph).collect()
}

const PROSE: [&str; 4] = [
    "The cat was seen on Monday after two",
    "days without food and with little water",
    "and it was given fluids under the skin,",
    "which it bore with dignity and patience",
];

/// Two columns of prose, drawn row by row or the right column first.
fn two_columns(by_rows: bool) -> Vec<String> {
    let left = |row: usize| at(50, 700 - 12 * i32::try_from(row).unwrap(), PROSE[row]);
    let right = |row: usize| at(320, 700 - 12 * i32::try_from(row).unwrap(), &format!("R{}", PROSE[row]));
    if by_rows {
        (0..4).flat_map(|row| [left(row), right(row)]).collect()
    } else {
        (0..4).map(right).chain((0..4).map(left)).collect()
    }
}

/// Proves R087: text that belongs together is together in the plain text.
#[test]
fn columns_of_prose_are_read_one_after_the_other_in_any_drawing_order() {
    let columns: Vec<String> = PROSE
        .iter()
        .map(|line| (*line).to_owned())
        .chain(PROSE.iter().map(|line| format!("R{line}")))
        .collect();
    for by_rows in [true, false] {
        assert_eq!(lines(&page_of(&two_columns(by_rows))), columns, "drawn by rows: {by_rows}");
    }
}

#[test]
fn headings_and_footers_across_the_columns_are_read_before_and_after_them() {
    let mut parts = vec![at(250, 40, "Page 1 of 9, printed today")];
    parts.extend(two_columns(true));
    parts.push(sized(18, 50, 750, "Discharge summary of a cat that was seen again"));
    let read = lines(&page_of(&parts));
    assert_eq!(read.len(), 10);
    assert_eq!(read[0], "Discharge summary of a cat that was seen again");
    assert_eq!(read[1], PROSE[0]);
    assert_eq!(read[5], format!("R{}", PROSE[0]));
    assert_eq!(read[9], "Page 1 of 9, printed today");
}

/// Proves R087: a label and its value stay together.
#[test]
fn tables_are_read_row_by_row_even_if_drawn_by_columns() {
    let columns = [
        (50, ["Test", "Glucose", "Urea", "ALT"]),
        (250, ["Value", "98", "41", "77"]),
        (400, ["Unit", "mg", "mg", "U"]),
    ];
    let cells = columns.iter().flat_map(|(x, cells)| {
        (0..).zip(cells).map(move |(row, cell)| at(*x, 700 - 15 * row, cell)).collect::<Vec<_>>()
    });
    let read = lines(&page_of(&cells.collect::<Vec<_>>()));
    assert_eq!(read.join(" "), "Test Value Unit Glucose 98 mg Urea 41 mg ALT 77 U");
}

#[test]
fn words_drawn_out_of_order_on_one_line_are_one_line() {
    let parts = [at(92, 700, "three"), at(50, 700, "one"), at(71, 700, "two"), at(50, 688, "below")];
    assert_eq!(lines(&page_of(&parts)), ["one two three", "below"]);
}

#[test]
fn letters_drawn_one_by_one_are_one_word() {
    // Helvetica: L 5.56, u 5.56, n 5.56 at 10 points.
    let parts = [at(50, 700, "L"), sized(10, 50, 600, "x")];
    let letters = "BT /F 10 Tf 61.12 700 Td (n) Tj ET BT /F 10 Tf 66.68 700 Td (a) Tj ET BT /F 10 Tf 55.56 700 Td (u) Tj ET\n";
    assert_eq!(lines(&page_of(&[&parts[..], &[letters.to_owned()]].concat())), ["Luna", "x"]);
}

#[test]
fn superscripts_and_larger_letters_stay_on_their_line() {
    let content = "BT /F 10 Tf 50 700 Td (Water is 5 m) Tj 4 Ts /F 6 Tf (2) Tj 0 Ts /F 10 Tf ( wide and ) Tj /F 14 Tf (deep) Tj ET\n";
    assert_eq!(lines(&page_of(&[content.to_owned()])), ["Water is 5 m2 wide and deep"]);
}

#[test]
fn overlapping_texts_are_not_mixed() {
    let parts = [at(50, 700, "first text over here"), at(70, 701, "DRAFT of another text")];
    assert_eq!(lines(&page_of(&parts)), ["first text over here", "DRAFT of another text"]);
}

#[test]
fn rotated_text_is_read_in_its_own_direction_after_the_upright_text() {
    let rotated = |x: i32, text: &str| format!("BT /F 10 Tf 0 1 -1 0 {x} 100 Tm ({text}) Tj ET\n");
    let parts = [
        rotated(32, "second margin"),
        rotated(20, "first margin"),
        at(50, 700, "The main text stands upright"),
    ];
    assert_eq!(lines(&page_of(&parts)), ["The main text stands upright", "first margin", "second margin"]);
    // A page with only rotated text is read like an upright one.
    let parts = [rotated(212, "below it"), rotated(200, "the first line"), rotated(224, "the last one")];
    assert_eq!(lines(&page_of(&parts)), ["the first line", "below it", "the last one"]);
}

#[test]
fn gaps_font_sizes_columns_and_pages_start_paragraphs() {
    let ys = [700, 688, 676, 650, 638, 626];
    let mut parts: Vec<String> = ys.iter().map(|y| at(50, *y, "a line of the usual length")).collect();
    parts.insert(0, sized(18, 50, 716, "Heading"));
    let reading = page_of(&parts);
    assert_eq!(opens(&reading), [true, true, false, false, true, false, false]);
    let columns = page_of(&two_columns(true));
    assert_eq!(opens(&columns), [true, false, false, false, true, false, false, false]);
    assert!(columns.plain_text().text.contains("patience\n\nRThe cat"));
}

#[test]
fn an_indented_line_after_a_sentence_starts_a_paragraph() {
    let parts = [
        at(50, 700, "It was the end of the day."),
        at(70, 688, "The next morning the cat was"),
        at(50, 676, "better and ate what it was"),
        at(50, 664, "offered."),
    ];
    assert_eq!(opens(&page_of(&parts)), [true, true, false, false]);
}

/// A PDF whose font maps the codes A, B, C… to these letters.
fn pdf_with_letters(content: &str, letters: &[&str]) -> Vec<u8> {
    let hex = |text: &str| text.encode_utf16().map(|unit| format!("{unit:04X}")).collect::<Vec<_>>().concat();
    let chars = (0x41..).zip(letters).map(|(code, text)| format!("<{code:02X}> <{}>\n", hex(text)));
    let chars = chars.collect::<Vec<_>>().concat();
    let cmap = format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n\
         1 begincodespacerange <00> <FF> endcodespacerange\n{} beginbfchar\n<20> <0020>\n{chars}endbfchar\n\
         endcmap end end",
        letters.len() + 1
    );
    // Object 6 follows the content of the only page.
    let font_entries = "/Encoding /WinAnsiEncoding /ToUnicode 6 0 R";
    let mut pdf = Pdf::with_options(&[content], &PageOptions { font_entries, ..LARGE_PAGE });
    pdf.stream("", cmap.as_bytes());
    pdf.file()
}

#[test]
fn hebrew_is_read_in_logical_order_in_any_drawing_order() {
    let letters = ["ש", "ל", "ו", "ם", "ט", "ב", "4", "2"];
    // Drawn from left to right: the last letter of the last word first.
    let seen = at(50, 700, "BCE HG DCBA");
    let reading = read(pdf_with_letters(&seen, &letters)).unwrap();
    assert_eq!(lines(&reading), ["שלום 24 טול"]);
    // Drawn from right to left: each letter left of the previous one. Capitals of Helvetica are 5.56 to 7.78 wide.
    let mut x = 100.0;
    let mut content = String::new();
    for (letter, width) in
        [('A', 6.67), ('B', 6.67), ('C', 7.22), ('D', 7.22), (' ', 2.78), ('E', 6.67), ('C', 7.22)]
    {
        x -= width;
        writeln!(content, "BT /F 10 Tf {x:.2} 700 Td ({letter}) Tj ET").unwrap();
    }
    assert_eq!(lines(&read(pdf_with_letters(&content, &letters)).unwrap()), ["שלום טו"]);
}

#[test]
fn arabic_presentation_forms_are_read_as_letters() {
    // Initial beh, the ligature of lam and alef, and reh, drawn from left to right: "بلار".
    let letters = ["\u{FE91}", "\u{FEFC}", "\u{FEAD}"];
    let reading = read(pdf_with_letters(&at(50, 700, "CBA"), &letters)).unwrap();
    assert_eq!(lines(&reading), ["\u{628}\u{644}\u{627}\u{631}"]);
}

#[test]
fn a_hyphenated_word_is_found_whole() {
    let reading = page_of(&[at(50, 700, "seguir el trata-"), at(50, 688, "miento indicado")]);
    assert_eq!(lines(&reading), ["seguir el trata-", "miento indicado"], "the lines keep both halves");
    let plain = reading.plain_text();
    let start = plain.text.find("tratamiento").unwrap();
    assert_eq!(plain.locations(start..start + 11).len(), 2);
}

#[test]
fn letter_spaced_text_is_one_word_and_single_letters_are_not() {
    let heading = "BT /F 10 Tf 4 Tc 50 700 Td (PACIENTE) Tj 0 Tc 0 -20 Td (A B C D E) Tj ET\n";
    assert_eq!(lines(&page_of(&[heading.to_owned()])), ["PACIENTE", "A B C D E"]);
}
