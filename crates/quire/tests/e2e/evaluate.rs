//! `quire evaluate` on a folder of made invoices.

use std::process::Command;

use quire_testkit::documents::{EInvoice, Pdf, Syntax, text_page};
use serde_json::{Value, json};

use crate::program::Cli;

const GUIDE: &str = include_str!("../../../../docs/guide/evaluate.md");

fn small_cli() -> Cli {
    Cli::new().with("QUIRE_READING_MEMORY_MB", "512")
}

/// Two e-invoices, one invoice of which the due date is not found, and a document without a truth file.
fn write_samples(cli: &Cli) {
    let folder = cli.path("samples");
    std::fs::create_dir(&folder).unwrap();
    for number in 0..2 {
        let invoice = EInvoice::sample(number);
        let page = [invoice.number.as_str(), "Rechnung"];
        std::fs::write(folder.join(format!("{number}.pdf")), invoice.pdf(Syntax::Cii, false, &page)).unwrap();
        let truth: serde_json::Map<String, Value> =
            invoice.truth().into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
        std::fs::write(folder.join(format!("{number}.truth.json")), Value::Object(truth).to_string())
            .unwrap();
    }
    let page = text_page(&[
        "Factura",
        "Número de factura: F-77",
        "Fecha de factura: 04/03/2024",
        "Total: 12,00 EUR",
    ]);
    std::fs::write(folder.join("paper.pdf"), Pdf::of_pages(&[page]).file()).unwrap();
    let truth = json!({"fields": {"invoice_number": "F-77", "issue_date": "2024-03-04", "due_date": "2024-04-05"},
        "evidence_page": {"invoice_number": 1}});
    std::fs::write(folder.join("paper.truth.json"), truth.to_string()).unwrap();
    std::fs::write(folder.join("other.txt"), "Sin valores al lado, no se evalúa.").unwrap();
}

#[test]
fn a_folder_is_judged_and_its_misses_are_shown_with_pictures() {
    let cli = small_cli();
    write_samples(&cli);
    let output = cli.run(&["evaluate", "samples", "--schema", "invoice", "--out", "judged"]);
    assert!(output.status.success(), "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("F1") && output.stdout.contains("documents: 3"), "{}", output.stdout);
    let report: Value =
        serde_json::from_str(&std::fs::read_to_string(cli.path("judged/report.json")).unwrap()).unwrap();
    let score = |key: &str| {
        report["keys"].as_array().unwrap().iter().find(|score| score["key"] == key).unwrap().clone()
    };
    assert_eq!((&score("invoice_number")["right"], &score("due_date")["missed"]), (&json!(3), &json!(1)));
    assert_eq!(report["evidence_page_right"], 1.0);
    assert!(report["confidence"]["expected_calibration_error"].is_number());
    let misses = report["misses"].as_array().unwrap();
    assert!(misses.iter().any(|miss| miss["key"] == "due_date" && miss["outcome"] == "missed"), "{misses:?}");
    let html = std::fs::read_to_string(cli.path("judged/report.html")).unwrap();
    assert!(html.contains("data:image/png;base64,") && html.contains("2024-04-05"));
    assert!(!html.contains("http://") && !html.contains("https://"), "it refers to nothing outside");
    assert!(!cli.path("judged/.quire").exists(), "its state is removed");

    let below = cli.run(&[
        "evaluate",
        "samples",
        "--schema",
        "invoice",
        "--out",
        "judged",
        "--min-f1",
        "0.999",
        "--no-pictures",
    ]);
    assert_eq!(below.status.code(), Some(1), "{}", below.stderr);
    assert!(!std::fs::read_to_string(cli.path("judged/report.html")).unwrap().contains("base64"));
}

#[test]
fn invalid_arguments_and_truth_files_end_with_2() {
    let cli = small_cli();
    write_samples(&cli);
    let code = |arguments: &[&str]| {
        let output = cli.run(arguments);
        (output.status.code(), output.stderr)
    };
    assert_eq!(code(&["evaluate", "missing"]).0, Some(2));
    assert_eq!(code(&["evaluate", "samples", "--schema", "nothing"]).0, Some(2));
    std::fs::write(cli.path("samples/paper.truth.json"), "{").unwrap();
    let (status, message) = code(&["evaluate", "samples", "--schema", "invoice"]);
    assert!(status == Some(2) && message.contains("paper.truth.json"), "{message}");
}

#[test]
fn the_commands_of_the_evaluation_guide_work() {
    let cli = small_cli();
    write_samples(&cli);
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let script: String = blocks.map(|(block, _)| block).collect();
    assert!(script.matches("quire evaluate").count() >= 2, "{script}");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_quire")).parent().unwrap().to_owned();
    let path = std::env::join_paths(
        std::iter::once(program).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &script]).current_dir(cli.path(".")).env("PATH", path.unwrap());
    let output = crate::program::output_of(&mut shell);
    assert!(output.status.success(), "{}\n{}", output.stdout, output.stderr);
}
