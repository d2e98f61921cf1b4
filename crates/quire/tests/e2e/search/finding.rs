//! What is found, where it stands, and that it follows the state of a document at once.

use quire_domain::DocumentId;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::record::{RECORD, active_data, edit, field_id, mark_reviewed, process_record, upload_lines};
use crate::test_env::{TestEnv, on_both_stores, wait_until};

use super::encoded;

on_both_stores! {
    a_text_is_found_with_its_place_on_the_page,
    /// Proves R070 for search: an edit, a reprocessing and a purge show in the very next search.
    search_follows_the_state_of_a_document_at_once,
    documents_from_before_the_index_are_indexed_at_the_start,
    documents_with_almost_the_same_text_are_told,
}

fn search(server: &TestServer, query: &str) -> Value {
    let query = encoded(query);
    let response = server.get_json(&format!("/search?q={query}"));
    assert_eq!(response.status, 200, "{query}: {}", response.body);
    response.body
}

fn found(server: &TestServer, query: &str) -> Vec<String> {
    let results = search(server, query);
    let items = results["items"].as_array().unwrap().iter();
    items.map(|item| item["document"]["document_id"].as_str().unwrap().to_owned()).collect()
}

async fn a_text_is_found_with_its_place_on_the_page(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, _) = process_record(env, &server).await;
    let other: Vec<&str> = RECORD
        .iter()
        .map(|line| if line.starts_with("Diag") { "Diagnóstico: artrosis" } else { line })
        .collect();
    let other = upload_lines(&server, &other);
    env.wait_until_completed(other).await;

    let results = search(&server, "atendido clinica -artrosis");
    assert_eq!((&results["total"], &results["items"][0]["document"]["document_id"]), (&json!(1), &json!(id)));
    let snippet = &results["items"][0]["snippet"];
    assert_eq!((&snippet["source"], &snippet["page"]), (&json!("text"), &json!(1)));
    let hits: Vec<&str> = snippet["parts"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|part| part["is_hit"] == true)
        .map(|part| part["text"].as_str().unwrap())
        .collect();
    assert_eq!(hits, ["clínica", "atendido"]);
    let boxes = snippet["boxes"].as_array().unwrap();
    assert_eq!(boxes.len(), 2);
    assert!(boxes[0]["x1"].as_f64().unwrap() <= boxes[1]["x0"].as_f64().unwrap(), "{boxes:?}");

    // Other forms of a word, slips, phrases, filters and their facets.
    for (query, expected) in [
        ("mascotas consultas", 2),
        ("medicasion", 2),
        ("\"otitis externa\"", 1),
        ("species:canino", 2),
        ("species:felino", 0),
        ("-species:canino", 0),
        ("visit_date:2024-01..2024-03", 2),
        ("visit_date:>2024-03", 0),
        ("status:completed reviewed:no language:es", 2),
        ("status:failed", 0),
        ("record.pdf", 2),
    ] {
        assert_eq!(found(&server, query).len(), expected, "{query}");
    }
    let slip = search(&server, "medicasion");
    assert_eq!(slip["corrections"], json!([{ "word": "medicasion", "meant": ["medicacion"] }]));
    let facets = search(&server, "luna")["facets"].clone();
    let species = facets.as_array().unwrap().iter().find(|facet| facet["name"] == "species").unwrap();
    assert_eq!(species["values"][0]["count"], 2, "{facets}");
    assert_eq!(search(&server, "otitis zanahoria")["is_relaxed"], true);
    let sentence = search(&server, "otitis externa luna consultas");
    assert_eq!((&sentence["is_relaxed"], &sentence["total"]), (&json!(true), &json!(2)), "{sentence}");
    let exact = found(&server, "\"otitis externa\"");
    assert_eq!(found(&server, "otitis externa luna consultas")[0], exact[0], "all words come first");
    assert_eq!(found(&server, "otitis externa luna").len(), 1, "three words are no sentence");

    let first = server.json("/search?q=luna&limit=1");
    let next = first["next_cursor"].as_str().unwrap();
    let second = server.json(&format!("/search?q=luna&limit=1&cursor={next}"));
    assert_ne!(first["items"][0]["document"]["document_id"], second["items"][0]["document"]["document_id"]);
    assert_eq!(second["next_cursor"], Value::Null);

    let hits = server.json(&format!("/documents/{id}/hits?q=de"));
    assert_eq!(hits["items"].as_array().unwrap().len(), 2, "{hits}");

    let printed = env.cli.run_ok(&["search", "atendido", "clinica -artrosis"]);
    assert!(
        printed.contains(&id.to_string()) && printed.contains("clínica") && printed.contains("page 1"),
        "{printed}"
    );
    let printed = env.cli.run_json(&["search", "species:canino", "--json"]);
    assert_eq!(printed["total"], 2);
    let answered = server.json(&format!("/search?q={}&limit=10", encoded("species:canino")));
    assert_eq!(printed, answered, "the command prints what the API answers");
}

async fn search_follows_the_state_of_a_document_at_once(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let id_text = [id.to_string()];
    assert_eq!(found(&server, "pet_name:luna otitis"), id_text);
    let change = json!([{ "op": "UPDATE", "field_id": field_id(&active_data(&server, id), "pet_name"), "value": "Ñoña" }]);
    assert_eq!(edit(&server, &run, 1, &change).status, 201);
    assert_eq!(found(&server, "pet_name:ñoña nona otitis"), id_text);
    assert!(found(&server, "pet_name:luna").is_empty());
    for (reviewed, other) in [("yes", "no"), ("no", "yes")] {
        let change = match reviewed {
            "yes" => mark_reviewed(&server, id).status,
            _ => server.request(&format!("DELETE /documents/{id}/reviewed"), "").status,
        };
        assert_eq!(change, 200);
        assert_eq!(found(&server, &format!("otitis reviewed:{reviewed}")), id_text, "marked or reopened");
        assert!(found(&server, &format!("otitis reviewed:{other}")).is_empty());
    }
    server.post(&format!("/documents/{id}/reprocess"));
    env.wait_for_latest_run(id).await;
    assert_eq!(found(&server, "pet_name:luna otitis"), id_text, "the new run shows what stands on the page");
    assert!(found(&server, "nona").is_empty());
    let forgotten = search(&server, "nonna");
    assert_eq!(forgotten["corrections"], json!([]), "no word of an earlier version is offered");
    purge(env, id);
    assert!(found(&server, "otitis").is_empty() && found(&server, "record").is_empty());
    let documents = server.json("/documents?q=otitis");
    assert_eq!(documents["items"], json!([]));
}

fn purge(env: &TestEnv, id: DocumentId) {
    env.cli.run_ok(&["purge", &id.to_string(), "--yes"]);
}

async fn documents_from_before_the_index_are_indexed_at_the_start(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, _) = process_record(env, &server).await;
    server.stop();
    env.sql.execute("DELETE FROM search_documents").await.unwrap();
    let server = env.cli.serve();
    wait_until(async || found(&server, "gotas luna record") == [id.to_string()]).await;
}

async fn documents_with_almost_the_same_text_are_told(env: &TestEnv) {
    let server = env.cli.serve();
    let (first, _) = process_record(env, &server).await;
    let scanned_again: Vec<&str> = RECORD
        .iter()
        .map(|line| if line.starts_with("Notas") { "Notas: vuelve dentro de tres semanas" } else { line })
        .collect();
    let second = upload_lines(&server, &scanned_again);
    env.wait_until_completed(second).await;
    let invoice = [
        "Factura de la clínica por los servicios de limpieza dental",
        "Número de factura: 2024-0117, fecha de emisión 3 de mayo",
        "Base imponible 100,00 euros, IVA 21 por ciento, total 121,00 euros",
        "Forma de pago: transferencia en treinta días desde la recepción",
    ];
    let invoice = upload_lines(&server, &invoice);
    env.wait_until_completed(invoice).await;

    let told = server.json(&format!("/documents/{first}"))["similar_documents"].clone();
    assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
    assert_eq!(told[0]["document_id"], json!(second));
    assert!(told[0]["resemblance"].as_f64().unwrap() >= 0.75, "{told}");
    let similar = server.json(&format!("/documents/{first}/similar"));
    assert_eq!(similar["items"][0]["document"]["document_id"], json!(second));
    assert_eq!(similar["items"][0]["is_near_duplicate"], json!(true), "{similar}");
    assert!(similar["items"][0]["similarity"].as_f64().unwrap() > 0.5, "{similar}");
    assert_eq!(server.json(&format!("/documents/{invoice}"))["similar_documents"], json!([]));
    assert_eq!(server.get(&format!("/documents/{first}/similar?limit=0")).status, 400);
    assert_eq!(server.get(&format!("/documents/{}/similar", DocumentId::new())).status, 404);

    purge(env, second);
    assert_eq!(server.json(&format!("/documents/{first}"))["similar_documents"], json!([]));
}
