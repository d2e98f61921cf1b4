//! `quire evaluate` on the invoices as texts that were kept apart, printed as PDFs: the reader is part of the score.
//!
//! `QUIRE_WRITE_LAYOUTS=DIR cargo test -p quire --test e2e kept_apart_as_pdfs` keeps the PDFs with their answers in a folder.

use std::path::{Path, PathBuf};

use quire_testkit::documents::{Font, PageContent, Pdf};
use serde_json::{Map, Value, json};

use crate::program::Cli;

/// Where the rules keep their made invoices.
const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../understanding/src/rules/tests/invoices/texts");
/// The width of a character and the height of a line, in points.
const LETTER: f32 = 5.0;
const LINE: f32 = 14.0;

/// The page that looks like this text: two spaces separate cells.
fn page_of(text: &str) -> String {
    let mut page = PageContent::default();
    let mut y = 800.0;
    for line in text.lines() {
        let letters: Vec<char> = line.chars().collect();
        let mut at = 0;
        while at < letters.len() {
            if letters[at] == ' ' {
                at += 1;
                continue;
            }
            let is_gap =
                |end: &usize| letters[*end] == ' ' && letters.get(end + 1).is_none_or(|next| *next == ' ');
            let end = (at..letters.len()).find(is_gap).unwrap_or(letters.len());
            let cell: String = letters[at..end].iter().collect();
            let x = 30.0 + LETTER * f32::from(u16::try_from(at).unwrap());
            page.text(Font::Regular, 9.0, (x, y), &cell);
            at = end;
        }
        y -= LINE;
    }
    page.into_string()
}

/// Writes the texts that were kept apart as PDFs, each with its right values beside it. Returns how many.
fn write_layouts(folder: &Path) -> usize {
    let mut count = 0;
    for file in std::fs::read_dir(TEXTS).unwrap() {
        let path: PathBuf = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("kept_") && !name.starts_with("apart_") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, body) = text.split_once("\n----\n").unwrap();
        let pairs = head.lines().skip(1).filter_map(|line| line.split_once(" = "));
        let truth: Map<String, Value> = pairs
            .filter(|(key, _)| *key != "language")
            .map(|(key, value)| {
                let number = value.parse::<f64>().ok().filter(|_| key.ends_with("_amount"));
                (key.to_owned(), number.map_or_else(|| json!(value), |number| json!(number)))
            })
            .collect();
        let pages: Vec<String> = body.split("=====\n").map(page_of).collect();
        std::fs::write(folder.join(format!("{name}.pdf")), Pdf::of_pages(&pages).file()).unwrap();
        let truth = json!({ "fields": truth });
        std::fs::write(folder.join(format!("{name}.truth.json")), truth.to_string()).unwrap();
        count += 1;
    }
    count
}

#[test]
fn invoices_that_were_kept_apart_as_pdfs_reach_the_floor() {
    let cli = Cli::new().with("QUIRE_READING_MEMORY_MB", "512");
    std::fs::create_dir(cli.path("layouts")).unwrap();
    let count = write_layouts(&cli.path("layouts"));
    assert!(count >= 15, "{count}");
    if let Some(folder) = std::env::var_os("QUIRE_WRITE_LAYOUTS") {
        std::fs::create_dir_all(&folder).unwrap();
        write_layouts(Path::new(&folder));
    }
    let judge = [
        "evaluate",
        "layouts",
        "--schema",
        "invoice",
        "--out",
        "judged",
        "--no-pictures",
        "--min-f1",
        "0.93",
    ];
    let output = cli.run(&judge);
    assert!(output.status.success(), "{}{}", output.stdout, output.stderr);
}
