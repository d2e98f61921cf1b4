//! `quire evaluate` on made records and invoices, printed as PDFs: the reader is part of the score.
//!
//! `QUIRE_WRITE_LAYOUTS=DIR cargo test -p quire --test e2e kept_apart_as_pdfs` keeps the PDFs with their answers in a folder;
//! `cargo xtask bench understanding` prints the scores.

use std::path::{Path, PathBuf};

use quire_testkit::documents::{EInvoice, Font, PageContent, Pdf, Syntax};
use serde_json::{Map, Value, json};

use crate::program::Cli;

/// Where the rules keep their made invoices.
const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../understanding/src/rules/tests/invoices/texts");
/// Where they keep their made records.
const RECORDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../understanding/src/rules/tests/made_records");
/// The width of a character and the height of a line, in points.
const LETTER: f32 = 5.0;
const LINE: f32 = 14.0;
/// The height of the text on a page, in points.
const TEXT: f32 = 770.0;

/// The page that looks like this text: two spaces separate cells.
fn page_of(text: &str) -> String {
    let mut page = PageContent::default();
    let mut y = 800.0;
    let count = u16::try_from(text.lines().count()).unwrap();
    let height = LINE.min(TEXT / f32::from(count.max(1)));
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
        y -= height;
    }
    page.into_string()
}

/// The value of a key as a truth file has it: several values are a list.
fn truth_of<'t>(pairs: impl Iterator<Item = (&'t str, &'t str)>) -> Map<String, Value> {
    let mut truth: Map<String, Value> = Map::new();
    for (key, value) in pairs.filter(|(key, _)| *key != "language") {
        let number = value.parse::<f64>().ok().filter(|_| key.ends_with("_amount"));
        let value = number.map_or_else(|| json!(value), |number| json!(number));
        match truth.get_mut(key) {
            Some(Value::Array(several)) => several.push(value),
            Some(one) => *one = json!([one.take(), value]),
            None => {
                truth.insert(key.to_owned(), value);
            }
        }
    }
    truth
}

/// Writes the texts of a folder as PDFs, each with its right values beside it. Returns how many.
fn write_layouts(texts: &str, is_wanted: impl Fn(&str) -> bool, folder: &Path) -> usize {
    std::fs::create_dir_all(folder).unwrap();
    let mut count = 0;
    for file in std::fs::read_dir(texts).unwrap() {
        let path: PathBuf = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !is_wanted(&name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, body) = text.split_once("\n----\n").unwrap();
        let mut parts = head.split("\nvisit ");
        let pairs = |lines: &'static str| lines.lines().filter_map(|line| line.split_once(" = "));
        let of_document = parts.next().unwrap_or_default().to_owned().leak();
        let visits: Vec<Value> = parts
            .map(|visit| {
                let (day, lines) = visit.split_once('\n').unwrap_or((visit, ""));
                json!({ "visit_date": day, "fields": truth_of(pairs(lines.to_owned().leak())) })
            })
            .collect();
        let mut truth = json!({ "fields": truth_of(pairs(of_document)) });
        if !visits.is_empty() {
            truth["visits"] = json!(visits);
        }
        let pages: Vec<String> = body.split("=====\n").map(page_of).collect();
        std::fs::write(folder.join(format!("{name}.pdf")), Pdf::of_pages(&pages).file()).unwrap();
        std::fs::write(folder.join(format!("{name}.truth.json")), truth.to_string()).unwrap();
        count += 1;
    }
    count
}

/// Evaluates a folder and prints its summary. It must reach the floor.
fn judge(cli: &Cli, folder: &str, schema: &str, floor: &str) {
    let judged = cli.run(&[
        "evaluate",
        folder,
        "--schema",
        schema,
        "--out",
        &format!("judged-{folder}"),
        "--no-pictures",
        "--min-f1",
        floor,
    ]);
    let all = judged.stdout.lines().filter(|line| line.starts_with("KEY") || line.starts_with("all "));
    println!("{folder} as PDFs:\n{}", all.collect::<Vec<_>>().join("\n"));
    assert!(judged.status.success(), "{}{}", judged.stdout, judged.stderr);
}

fn cli() -> Cli {
    Cli::new().with("QUIRE_READING_MEMORY_MB", "512")
}

/// Whether a layout was kept apart, by its name.
fn is_kept_apart(name: &str) -> bool {
    ["kept_", "apart_", "aside_", "fresh_"].iter().any(|start| name.starts_with(start))
}

#[test]
fn invoices_that_were_kept_apart_as_pdfs_reach_the_floor() {
    let cli = cli();
    let is_wanted = |name: &str| name.starts_with("kept_") || name.starts_with("apart_");
    let count = write_layouts(TEXTS, is_wanted, &cli.path("invoices"));
    assert!(count >= 15, "{count}");
    if let Some(folder) = std::env::var_os("QUIRE_WRITE_LAYOUTS") {
        write_layouts(TEXTS, is_wanted, Path::new(&folder));
    }
    judge(&cli, "invoices", "invoice", "0.93");
}

/// The made records, printed as PDFs: the reader finds the words, cells and columns anew.
#[test]
fn records_as_pdfs_reach_the_floor() {
    let cli = cli();
    let count = write_layouts(RECORDS, |name| !is_kept_apart(name), &cli.path("records"));
    assert!(count >= 29, "{count}");
    judge(&cli, "records", "veterinary-record", "0.97");
    let count = write_layouts(RECORDS, is_kept_apart, &cli.path("records-kept-apart"));
    assert!(count >= 18, "{count}");
    judge(&cli, "records-kept-apart", "veterinary-record", "0.95");
}

/// Invoices whose values stand in embedded XML, in every syntax, with a page that shows other ones.
#[test]
fn e_invoices_as_pdfs_reach_the_floor() {
    let cli = cli();
    std::fs::create_dir(cli.path("e-invoices")).unwrap();
    let syntaxes = [Syntax::Cii, Syntax::XRechnungCii, Syntax::Zugferd1, Syntax::UblInvoice];
    for (number, syntax) in syntaxes.into_iter().cycle().take(20).enumerate() {
        let invoice = EInvoice::sample(number);
        let page = ["Rechnung Nr. 999-A", "Datum: 01.01.2020", "Gesamtbetrag: 1,00 EUR"];
        let pdf = invoice.pdf(syntax, number % 2 == 0, &page);
        std::fs::write(cli.path(&format!("e-invoices/{number}.pdf")), pdf).unwrap();
        #[allow(clippy::cast_precision_loss)] // Sums of a few hundred euros.
        let sum = |cents: i64| cents as f64 / 100.0;
        let truth = json!({
            "invoice_number": invoice.number,
            "issue_date": invoice.issued,
            "due_date": invoice.due,
            "currency": invoice.currency,
            "supplier_name": invoice.seller,
            "supplier_tax_id": invoice.seller_vat,
            "customer_name": invoice.buyer,
            "customer_tax_id": invoice.buyer_vat,
            "iban": invoice.iban,
            "net_amount": sum(invoice.net()),
            "tax_amount": sum(invoice.tax()),
            "total_amount": sum(invoice.net() + invoice.tax()),
        });
        std::fs::write(cli.path(&format!("e-invoices/{number}.truth.json")), truth.to_string()).unwrap();
    }
    judge(&cli, "e-invoices", "invoice", "0.99");
}
