//! Output formats: files, JSON lines, CSV and standard output.

use quire_domain::EventType;
use serde_json::json;

use super::{by_file, count_events, patient, small_cli, value, write_records};

#[tokio::test]
async fn all_formats_have_the_same_values_and_share_the_state() {
    let cli = small_cli();
    let names = write_records(&cli, 3);
    std::fs::write(cli.path("in/broken.pdf"), b"%PDF-1.7\nhello").unwrap();
    let lines = cli.run(&["process", "in", "--out", "results/r.jsonl"]);
    assert_eq!((lines.status.code(), lines.stdout.as_str()), (Some(1), ""), "{}", lines.stderr);
    let results = by_file(&std::fs::read_to_string(cli.path("results/r.jsonl")).unwrap());
    assert_eq!(results.len(), 4);
    assert_eq!(results["in/broken.pdf"]["made_by"], json!(null));
    for (number, name) in names.iter().enumerate() {
        let result = &results[name];
        assert_eq!(value(result, "pet_name"), &json!(patient(number)));
        assert_eq!(result["visits"][0]["visit_date"], "2023-03-12");
        assert_eq!(
            (&result["made_by"]["interpreter"], &result["made_by"]["tokens_in"]),
            (&json!("rules"), &json!(0))
        );
        let visit = &result["visits"][0]["visit_id"];
        let fields = result["fields"].as_array().unwrap();
        assert!(
            fields.iter().any(|field| field["key"] == "medication" && field["visit_id"] == *visit),
            "{result}"
        );
    }

    let state = ["--state", "results/.quire"];
    assert_eq!(cli.run(&["process", "in", "--out", "results/r.csv"]).status.code(), Some(1));
    let table = std::fs::read_to_string(cli.path("results/r.csv")).unwrap();
    let output = cli.run(&[&["process", "in", "--format", "csv", "--quiet"][..], &state].concat());
    let mut tables = [table, output.stdout];
    for table in &mut tables {
        let mut rows: Vec<&str> = table.split_inclusive("\r\n").collect();
        assert!(rows[0].starts_with("document_id,original_filename,created_at,status,"), "{}", rows[0]);
        rows.sort_unstable();
        let values: usize = results.values().map(|result| result["fields"].as_array().unwrap().len()).sum();
        assert_eq!(rows.len(), 1 + values + 1, "a failed document has one line");
        *table = rows.concat();
    }
    assert_eq!(tables[0], tables[1]);
    assert!(
        tables[0].contains(",in/broken.pdf,") && tables[0].contains(",pet_name,Lunaaa,"),
        "{}",
        tables[0]
    );
    let printed = cli.run(&[&["process", "in"][..], &state].concat());
    assert_eq!(by_file(&printed.stdout), results);
    assert!(printed.stderr.contains("4 documents: 3 processed, 1 failed"), "{}", printed.stderr);
    let completed = count_events(cli.path("results/.quire"), EventType::RunCompleted).await;
    assert_eq!(completed, 3, "four commands process each document once");
}

/// Results inside the input folder are not read as documents, and results of other folders stay.
#[tokio::test]
async fn results_inside_the_input_folder_are_not_processed() {
    let cli = small_cli();
    write_records(&cli, 2);
    for round in 0..2 {
        let output = cli.run(&["process", "in", "--out", "in/out"]);
        assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
        assert!(output.stderr.contains("2 documents: 2 processed"), "{round}: {}", output.stderr);
    }
    std::fs::remove_dir_all(cli.path("in/out")).unwrap();
    for (paths, count) in [(&["in/00.pdf"][..], 1), (&["in/01.pdf"], 2), (&["in"], 2)] {
        cli.run_ok(&[&["process", "--out", "in/r.jsonl"][..], paths].concat());
        let lines = by_file(&std::fs::read_to_string(cli.path("in/r.jsonl")).unwrap());
        assert_eq!(lines.len(), count, "{paths:?}");
    }
}

#[test]
fn quiet_prints_only_the_result() {
    let cli = small_cli();
    write_records(&cli, 1);
    let output =
        cli.run(&["process", "in/00.pdf", "--quiet", "--schema", "veterinary-record", "--jobs", "1"]);
    assert_eq!((output.status.code(), output.stderr.as_str()), (Some(0), ""));
    assert_eq!(value(&by_file(&output.stdout)["in/00.pdf"], "pet_name"), "Lunaaa");
}
