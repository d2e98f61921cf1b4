//! The same results as files, as lines, as a table, and to standard output.

use quire_domain::EventType;
use serde_json::json;

use super::{by_file, happened, patient, quire, value, with_records};

#[tokio::test]
async fn lines_and_tables_say_the_same_and_the_state_is_shared() {
    let quire = quire();
    let names = with_records(&quire, 3);
    std::fs::write(quire.path("in/broken.pdf"), b"%PDF-1.7\nhello").unwrap();
    let lines = quire.run(&["process", "in", "--out", "results/r.jsonl"]);
    assert_eq!((lines.status.code(), lines.out.as_str()), (Some(1), ""), "{}", lines.err);
    let results = by_file(&std::fs::read_to_string(quire.path("results/r.jsonl")).unwrap());
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
    assert_eq!(quire.run(&["process", "in", "--out", "results/r.csv"]).status.code(), Some(1));
    let table = std::fs::read_to_string(quire.path("results/r.csv")).unwrap();
    let told = quire.run(&[&["process", "in", "--format", "csv", "--quiet"][..], &state].concat());
    let mut ways = [table, told.out];
    for way in &mut ways {
        let mut rows: Vec<&str> = way.split_inclusive("\r\n").collect();
        assert!(rows[0].starts_with("document_id,original_filename,created_at,status,"), "{}", rows[0]);
        rows.sort_unstable();
        let values: usize = results.values().map(|result| result["fields"].as_array().unwrap().len()).sum();
        assert_eq!(rows.len(), 1 + values + 1, "the one that failed has a line, too");
        *way = rows.concat();
    }
    assert_eq!(ways[0], ways[1]);
    assert!(ways[0].contains(",in/broken.pdf,") && ways[0].contains(",pet_name,Lunaaa,"), "{}", ways[0]);
    let printed = quire.run(&[&["process", "in"][..], &state].concat());
    assert_eq!(by_file(&printed.out), results);
    assert!(printed.err.contains("4 documents: 3 understood, 1 failed"), "{}", printed.err);
    let completed = happened(quire.path("results/.quire"), EventType::RunCompleted).await;
    assert_eq!(completed, 3, "four commands, one reading");
}

/// Results among the documents are none, and the results of other folders stay.
#[tokio::test]
async fn a_place_within_the_folder_is_not_read_and_what_is_there_stays() {
    let quire = quire();
    with_records(&quire, 2);
    for round in 0..2 {
        let said = quire.run(&["process", "in", "--out", "in/out"]);
        assert_eq!(said.status.code(), Some(0), "{}", said.err);
        assert!(said.err.contains("2 documents: 2 understood"), "{round}: {}", said.err);
    }
    std::fs::remove_dir_all(quire.path("in/out")).unwrap();
    for (paths, count) in [(&["in/00.pdf"][..], 1), (&["in/01.pdf"], 2), (&["in"], 2)] {
        quire.says(&[&["process", "--out", "in/r.jsonl"][..], paths].concat());
        let lines = by_file(&std::fs::read_to_string(quire.path("in/r.jsonl")).unwrap());
        assert_eq!(lines.len(), count, "{paths:?}");
    }
}

#[test]
fn one_document_is_printed_quietly() {
    let quire = quire();
    with_records(&quire, 1);
    let said =
        quire.run(&["process", "in/00.pdf", "--quiet", "--schema", "veterinary-record", "--jobs", "1"]);
    assert_eq!((said.status.code(), said.err.as_str()), (Some(0), ""));
    assert_eq!(value(&by_file(&said.out)["in/00.pdf"], "pet_name"), "Lunaaa");
}
