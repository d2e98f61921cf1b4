//! The review queue: documents with the lowest confidence first.

use quire_domain::DocumentId;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::record::{active_data, edit, field, mark_reviewed, process_record, upload_lines};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    the_document_with_the_lowest_confidence_is_first_until_it_is_edited_or_reviewed,
}

/// The documents of the queue with their confidence, read in pages of one.
fn review_queue(server: &TestServer) -> Vec<(DocumentId, f64)> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = server.get_json(&format!("/documents?sort=least_certain&limit=1{cursor}"));
        assert_eq!(part.status, 200, "{}", part.body);
        for item in part.body["items"].as_array().unwrap() {
            let id = item["document_id"].as_str().unwrap().parse().unwrap();
            all.push((id, item["confidence"].as_f64().unwrap()));
        }
        match &part.body["next_cursor"] {
            Value::String(next) => cursor = format!("&cursor={next}"),
            _ => return all,
        }
    }
}

/// The lowest confidence of the critical fields of a document.
fn lowest_confidence(server: &TestServer, id: DocumentId) -> f64 {
    let data = active_data(server, id);
    let critical = data["fields"].as_array().unwrap().iter().filter(|field| field["is_critical"] == true);
    let confidences = critical.map(|field| match field["origin"].as_str() {
        Some("human") => 1.0,
        _ => field["confidence"].as_f64().unwrap(),
    });
    confidences.reduce(f64::min).unwrap_or(0.0)
}

async fn the_document_with_the_lowest_confidence_is_first_until_it_is_edited_or_reviewed(env: &TestEnv) {
    let server = env.cli.serve();
    let (first, _) = process_record(env, &server).await;
    let (second, run) = process_record(env, &server).await;
    // A document without critical fields.
    let lines =
        ["Certificado que se emite a petición de la persona interesada", "Notas: sin incidencias este mes"];
    let empty = upload_lines(&server, &lines);
    env.wait_until_completed(empty).await;
    // A document whose extraction fails is not in the queue.
    let blank = upload_lines(&server, &["x"]);
    env.wait_for_latest_run(blank).await;

    let mut expected: Vec<_> = [first, second, empty].map(|id| (id, lowest_confidence(&server, id))).to_vec();
    expected.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.0.cmp(&other.0.0)));
    assert_eq!((expected[0], expected.len()), ((empty, 0.0), 3));
    assert_eq!(review_queue(&server), expected);
    let whole = server.get_json("/documents?sort=least_certain").body;
    assert_eq!((&whole["total"], &whole["next_cursor"]), (&json!(3), &json!(null)));
    let newest = server.get_json("/documents?sort=newest").body;
    let of_blank =
        newest["items"].as_array().unwrap().iter().find(|item| item["document_id"] == json!(blank));
    assert_eq!(of_blank.unwrap()["confidence"], json!(null));

    // A value that a person entered has confidence 1: with every critical field edited, the document is last.
    let data = active_data(&server, second);
    let critical = data["fields"].as_array().unwrap().iter().filter(|field| field["is_critical"] == true);
    let changes: Vec<Value> = critical
        .map(|field| {
            let value = if field["value_type"] == "date" { json!("2024-03-04") } else { json!("otra cosa") };
            json!({ "op": "UPDATE", "field_id": field["field_id"], "value": value })
        })
        .collect();
    let edited = edit(&server, &run, 1, &json!(changes));
    assert_eq!(edited.status, 201, "{}", edited.body);
    assert_eq!(field(&edited.body["data"], "pet_name")["origin"], "human");
    assert_eq!(review_queue(&server).last(), Some(&(second, 1.0)));

    // A reviewed document leaves the queue until it is reopened.
    let reviewed = format!("/documents/{empty}/reviewed");
    assert_eq!(mark_reviewed(&server, empty).status, 200);
    assert!(review_queue(&server).iter().all(|(id, _)| *id != empty));
    assert_eq!(server.request_json(&format!("DELETE {reviewed}"), "", "").status, 200);
    assert_eq!(review_queue(&server)[0].0, empty);

    for (query, parameter) in [
        ("sort=oldest", "sort"),
        ("sort=least_certain&q=x", "q"),
        ("sort=least_certain&status=COMPLETED", "status"),
        ("sort=least_certain&cursor=AAYAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "cursor"),
    ] {
        let refused = server.get_json(&format!("/documents?{query}"));
        assert_eq!(
            (refused.status, &refused.body["details"]["parameter"]),
            (400, &json!(parameter)),
            "{query}"
        );
    }
}
