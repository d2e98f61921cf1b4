use proptest::prelude::*;

use super::*;

/// Parses CSV strictly by RFC 4180: lines of cells.
fn read(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut row = Vec::new();
        loop {
            let (cell, after) = read_cell(rest);
            row.push(cell);
            let Some(next) = after.strip_prefix(',') else {
                rest = after.strip_prefix("\r\n").unwrap_or_else(|| panic!("a line's end, not {after:?}"));
                break;
            };
            rest = next;
        }
        rows.push(row);
    }
    rows
}

/// One cell, and the rest of the line.
fn read_cell(text: &str) -> (String, &str) {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find([',', '\r', '\n', '"']).unwrap_or(text.len());
        assert!(!text[end..].starts_with('"'), "a quote within a cell that is not quoted: {text:?}");
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut cell = String::new();
    loop {
        let end = rest.find('"').expect("a quote that ends the cell");
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        let Some(after) = rest.strip_prefix('"') else { return (cell, rest) };
        cell.push('"');
        rest = after;
    }
}

fn written(cells: &[ExportCell<'_>]) -> String {
    let mut row = CsvRow::default();
    for cell in cells {
        row.push(*cell);
    }
    row.end()
}

/// The text of a cell after reading: guarded where it could be a formula.
fn expected(text: &str) -> String {
    guarded(text).into_owned()
}

#[test]
fn what_needs_quotes_gets_them_and_nothing_else_does() {
    for (text, line) in [
        ("plain", "plain\r\n"),
        ("a,b", "\"a,b\"\r\n"),
        ("say \"no\"", "\"say \"\"no\"\"\"\r\n"),
        ("two\nlines", "\"two\nlines\"\r\n"),
        ("two\r\nlines", "\"two\r\nlines\"\r\n"),
        (" indented", "\" indented\"\r\n"),
        ("año 日本", "año 日本\r\n"),
    ] {
        assert_eq!(written(&[ExportCell::Text(text)]), line);
    }
}

#[test]
fn a_text_that_begins_like_a_formula_is_guarded_and_a_number_is_not() {
    for text in ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"] {
        let line = written(&[ExportCell::Text(text)]);
        assert!(line.trim_start_matches('"').starts_with('\''), "{line:?}");
    }
    assert_eq!(written(&[ExportCell::Integer(-7), ExportCell::Number(-0.5)]), "-7,-0.5\r\n");
    assert_eq!(written(&[ExportCell::Text("a=b"), ExportCell::Text("")]), "a=b,\r\n");
}

#[test]
fn cells_that_hold_nothing_stay_empty_and_a_line_is_never_blank() {
    let cells = [
        ExportCell::Empty,
        ExportCell::Number(f64::NAN),
        ExportCell::Number(f64::INFINITY),
        ExportCell::from(None::<&str>),
    ];
    assert_eq!(written(&cells), ",,,\r\n");
    assert_eq!(written(&[ExportCell::Empty]), "\"\"\r\n");
    assert_eq!(written(&[ExportCell::Flag(true), ExportCell::from(Some("x"))]), "true,x\r\n");
}

#[test]
fn a_row_is_filled_again_after_its_end() {
    let mut row = CsvRow::default();
    assert_eq!(row.push(ExportCell::Text("a")).push(ExportCell::Integer(1)).end(), "a,1\r\n");
    assert_eq!(row.push(ExportCell::Text("b")).end(), "b\r\n");
}

/// Any text, with difficult characters more often than by chance.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[=+@\t\r\n\", '-]{0,6}[a-z,\"\r\n ]{0,6}"]
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_back(rows in prop::collection::vec(prop::collection::vec(texts(), 1..5), 0..5)) {
        let mut text = String::new();
        for row in &rows {
            text.push_str(&written(&row.iter().map(|cell| ExportCell::Text(cell)).collect::<Vec<_>>()));
        }
        let guarded: Vec<Vec<_>> =
            rows.iter().map(|row| row.iter().map(|cell| expected(cell)).collect()).collect();
        prop_assert_eq!(read(&text), guarded);
    }

    #[test]
    fn no_text_is_read_as_the_beginning_of_a_formula(text in texts()) {
        let cell = read(&written(&[ExportCell::Text(&text)])).remove(0).remove(0);
        prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']), "{:?}", cell);
    }

    #[test]
    fn numbers_are_read_back_as_they_were(whole in any::<i64>(), other in any::<f64>().prop_filter("finite", |n| n.is_finite())) {
        let cells = read(&written(&[ExportCell::Integer(whole), ExportCell::Number(other)])).remove(0);
        prop_assert_eq!(cells[0].parse::<i64>().unwrap(), whole);
        prop_assert_eq!(cells[1].parse::<f64>().unwrap().to_bits(), other.to_bits());
    }
}
