//! Tables of generated PDFs, with lines around their cells and without.

use quire_domain::reading::Table;
use quire_testkit::documents::{Font, PageContent, Pdf};

use super::read;

const ROWS: [[&str; 4]; 5] = [
    ["Item", "Quantity", "Price", "Amount"],
    ["Bread", "2", "1.55", "3.10"],
    ["Coffee beans", "1", "12.40", "12.40"],
    ["Milk", "3", "0.90", "2.70"],
    ["Sugar", "1", "1.20", "1.20"],
];

/// The lines around cells as strokes, or as thin filled rectangles, or not at all.
fn page(lines: &str) -> String {
    let mut content = PageContent::default();
    content.text(Font::Regular, 10.0, (60.0, 780.0), "Invoice of the corner shop for this week");
    for (row, texts) in (0u8..).zip(ROWS) {
        for (column, text) in (0u8..).zip(texts) {
            let (x, y) = (66.0 + f32::from(column) * 110.0, 700.0 - f32::from(row) * 20.0);
            content.text(Font::Regular, 10.0, (x, y), text);
        }
    }
    for row in 0..=5u8 {
        let y = 714.0 - f32::from(row) * 20.0;
        match lines {
            "strokes" => content.line((60.0, y), (500.0, y)),
            "fills" => content.operators(&format!("60 {y} 440 0.6 re f")),
            _ => {}
        }
    }
    for column in 0..=4u8 {
        let x = 60.0 + f32::from(column) * 110.0;
        match lines {
            "strokes" => content.line((x, 714.0), (x, 614.0)),
            "fills" => content.operators(&format!("{x} 614 0.6 100 re f")),
            _ => {}
        }
    }
    content.into_string()
}

#[test]
fn tables_of_pdfs_are_found_with_and_without_lines() {
    for lines in ["strokes", "fills", "none"] {
        let reading = read(Pdf::of_pages(&[page(lines)]).file()).unwrap();
        let tables = Table::find(&reading.pages);
        assert_eq!(tables.len(), 1, "{lines}");
        assert_eq!(tables[0].grid(), ROWS.map(|row| row.to_vec()), "{lines}");
        assert_eq!(tables[0].head_rows, 1, "{lines}");
        assert_eq!(reading.pages[0].rulings.is_empty(), lines == "none");
    }
}
