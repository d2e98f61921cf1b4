//! Finding documents by their values.

use serde_json::json;

use crate::record::{active_data, edit, field, process_record};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R063 for values: a search finds values of the active version, texts and file names.
    a_document_is_found_by_its_current_values,
}

async fn a_document_is_found_by_its_current_values(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let found = |words: &str| {
        let list = server.get_json(&format!("/documents?q={words}")).body;
        let items = list["items"].as_array().unwrap();
        assert!(items.iter().all(|item| item["document_id"] == json!(id)), "{list}");
        assert_eq!(list["total"], items.len());
        items.len()
    };
    for (words, expected) in [
        ("LUNA", 1),
        ("01/02/2024", 1),
        ("otitis%20ext", 1),
        ("medicaci", 1),
        ("record.PDF", 1),
        ("nadie", 0),
    ] {
        assert_eq!(found(words), expected, "{words}");
    }
    let luna = active_data(&server, id);
    let luna = field(&luna, "pet_name")["field_id"].clone();
    let change = json!([{ "op": "UPDATE", "field_id": luna, "value": "Ñoña" }]);
    assert_eq!(edit(&server, &run, 1, &change).status, 201);
    assert_eq!(
        (found("luna"), found("nona"), found("%C3%91O%C3%91A")),
        (1, 1, 1),
        "the page still says Luna"
    );
    let exported = server.get("/documents/export?format=jsonl&q=nona");
    assert!(exported.body.contains(&id.to_string()), "{}", exported.body);
    let page = server.get("/app?q=nona");
    assert!(
        page.body.contains(&id.to_string()) && !server.get("/app?q=nadie").body.contains(&id.to_string())
    );
}
