//! Text under opaque marks, from the upload to the export.

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};
use serde_json::{Value, json};

use crate::program::{Cli, TestServer};
use crate::record::{RECORD, review};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    /// Proves E59: redacted values are no part of text, fields, search and exports, and people are warned.
    redacted_values_are_kept_apart_with_a_warning,
    /// Proves E59 for the setting that allows them.
    redacted_values_are_used_if_the_setting_says_so with super::READ,
}

const READ: [(&str, &str); 1] = [("QUIRE_READING_COVERED_TEXT", "read")];
const CHIP: &str = "941000024680135";

/// The record with a chip number and the owner's name under black bars.
fn redacted_record() -> Vec<u8> {
    let chip = format!("Microchip: {CHIP}");
    let lines: Vec<&str> =
        RECORD[..4].iter().copied().chain([chip.as_str()]).chain(RECORD[4..].iter().copied()).collect();
    // The fourth and fifth lines stand at 748 and 734 points, the values behind their labels.
    let bars = "0 g 110 744 120 13 re f 102 730 100 13 re f";
    Pdf::of_pages(&[format!("{} {bars}", text_page(&lines))]).file()
}

/// Uploads the record. Returns its id when its run has completed.
async fn process(env: &TestEnv, server: &TestServer) -> DocumentId {
    let id = Form::file("redacted.pdf", &redacted_record()).send(server, "/documents/upload").document_id();
    env.wait_until_completed(id).await;
    id
}

fn values(server: &TestServer, id: DocumentId) -> String {
    review(server, id)["active_interpretation"]["data"]["fields"].to_string()
}

fn text_of(lines: &Value) -> String {
    let words = lines.as_array().unwrap().iter().flat_map(|line| line["words"].as_array().unwrap());
    words.map(|word| word["text"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

async fn redacted_values_are_kept_apart_with_a_warning(env: &TestEnv) {
    let server = env.cli.serve();
    let id = process(env, &server).await;
    let values = values(&server, id);
    assert!(values.contains("Luna"), "{values}");
    let run = env.runs_of(id).await.remove(0).id;
    let raw_text = server.json(&format!("/runs/{run}/artifacts/raw-text")).to_string();
    let export = server.send("GET /documents/export?format=csv", "", "");
    let export = String::from_utf8_lossy(&export.body).into_owned();
    let visible = text_of(&server.json(&format!("/documents/{id}/pages/1"))["lines"]);
    for hidden in [CHIP, "Apellido"] {
        for (what, text) in
            [("fields", &values), ("text", &raw_text), ("export", &export), ("page", &visible)]
        {
            assert!(!text.contains(hidden), "{what}: {text}");
        }
        let search = server.json(&format!("/documents?q={hidden}"));
        assert_eq!(search["items"], json!([]), "{hidden}");
        let search = server.json(&format!("/search?q=%22{hidden}%22"));
        assert_eq!(search["items"], json!([]), "{hidden}");
        let hits = server.json(&format!("/documents/{id}/hits?q={hidden}"));
        assert_eq!(hits["items"], json!([]), "{hidden}");
        // Vectors are made of chunks, and nothing else.
        let chunks =
            env.sql.number(&format!("SELECT count(*) FROM search_chunks WHERE text LIKE '%{hidden}%'")).await;
        assert_eq!(chunks, 0, "{hidden}");
    }

    let covered = text_of(&server.json(&format!("/documents/{id}/pages/1"))["covered"]);
    assert_eq!(covered, format!("Nombre Apellido {CHIP}"));
    assert_eq!(server.json(&format!("/documents/{id}/pages"))["pages"][0]["covered_words"], 3);
    let notice = json!([{ "page": 1, "covered_words": 3, "covered_used": false, "data_problem": null, "unread": null }]);
    assert_eq!(review(&server, id)["page_notices"], notice);
    let page = server.get(&format!("/app/documents/{id}")).body;
    assert!(page.contains("data-covered=\"1\"") && page.contains("hide 3 words"), "{page}");
    drop(server);
}

async fn redacted_values_are_used_if_the_setting_says_so(env: &TestEnv) {
    let server = env.cli.serve();
    let id = process(env, &server).await;
    assert!(values(&server, id).contains(CHIP));
    let notice = json!([{ "page": 1, "covered_words": 3, "covered_used": true, "data_problem": null, "unread": null }]);
    assert_eq!(review(&server, id)["page_notices"], notice);
    drop(server);
}

#[test]
fn the_read_command_leaves_covered_text_out_and_says_so() {
    let cli = Cli::new();
    std::fs::write(cli.path("redacted.pdf"), redacted_record()).unwrap();
    let output = cli.run(&["read", "redacted.pdf"]);
    assert!(output.status.success());
    assert!(output.stdout.contains("Luna") && !output.stdout.contains(CHIP), "{}", output.stdout);
    assert!(output.stderr.contains("page 1: opaque marks hide 3 words"), "{}", output.stderr);
}
