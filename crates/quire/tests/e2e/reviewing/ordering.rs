//! The documents that wait for a person, the least certain first.

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};
use serde_json::{Value, json};

use super::{edit, field, get, post, review, understood};
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};
use crate::uploading::form::Form;

on_both_stores! {
    the_least_certain_document_comes_first_until_it_is_corrected_or_checked,
}

/// The documents of the list with how certain each is, walked in parts of one.
fn listed(server: &Server) -> Vec<(DocumentId, f64)> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let part = get(server, &format!("/documents?sort=least_certain&limit=1{cursor}"));
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

/// The least confidence among the critical fields of a document, as its review shows them.
fn least(server: &Server, id: DocumentId) -> f64 {
    let data = &review(server, id)["active_interpretation"]["data"];
    let critical = data["fields"].as_array().unwrap().iter().filter(|field| field["is_critical"] == true);
    let sure = critical.map(|field| match field["origin"].as_str() {
        Some("human") => 1.0,
        _ => field["confidence"].as_f64().unwrap(),
    });
    sure.reduce(f64::min).unwrap_or(0.0)
}

async fn the_least_certain_document_comes_first_until_it_is_corrected_or_checked(scene: &Scene) {
    let server = scene.quire.serve();
    let (first, _) = understood(scene, &server).await;
    let (second, run) = understood(scene, &server).await;
    // Nothing critical stands in this one.
    let lines =
        ["Certificado que se emite a petición de la persona interesada", "Notas: sin incidencias este mes"];
    let file = Pdf::of_pages(&[text_page(&lines)]).file();
    let empty = Form::file("other.pdf", &file).send(&server, "/documents/upload").document();
    assert_eq!(scene.ended(empty).await.state.as_str(), "COMPLETED");
    // Nothing could be read of this one, so that it does not wait for anybody.
    let blank = Form::file("blank.pdf", &Pdf::of_pages(&[text_page(&["x"])]).file());
    let blank = blank.send(&server, "/documents/upload").document();
    scene.ended(blank).await;

    let mut expected: Vec<_> = [first, second, empty].map(|id| (id, least(&server, id))).to_vec();
    expected.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.0.cmp(&other.0.0)));
    assert_eq!((expected[0], expected.len()), ((empty, 0.0), 3));
    assert_eq!(listed(&server), expected);
    let whole = get(&server, "/documents?sort=least_certain").body;
    assert_eq!((&whole["total"], &whole["next_cursor"]), (&json!(3), &json!(null)));
    let newest = get(&server, "/documents?sort=newest").body;
    let of_blank =
        newest["items"].as_array().unwrap().iter().find(|item| item["document_id"] == json!(blank));
    assert_eq!(of_blank.unwrap()["confidence"], json!(null));

    // What a person has said is certain: with every critical field corrected, it comes last.
    let data = review(&server, second)["active_interpretation"]["data"].clone();
    let critical = data["fields"].as_array().unwrap().iter().filter(|field| field["is_critical"] == true);
    let changes: Vec<Value> = critical
        .map(|field| {
            let value = if field["value_type"] == "date" { json!("2024-03-04") } else { json!("otra cosa") };
            json!({ "op": "UPDATE", "field_id": field["field_id"], "value": value })
        })
        .collect();
    let made = edit(&server, &run, 1, &json!(changes));
    assert_eq!(made.status, 201, "{}", made.body);
    assert_eq!(field(&made.body["data"], "pet_name")["origin"], "human");
    assert_eq!(listed(&server).last(), Some(&(second, 1.0)));

    // What is checked waits no more, until somebody opens it again.
    let reviewed = format!("/documents/{empty}/reviewed");
    assert_eq!(post(&server, &reviewed, &json!({})).status, 200);
    assert!(listed(&server).iter().all(|(id, _)| *id != empty));
    assert_eq!(super::ask(&server, &format!("DELETE {reviewed}"), "", "").status, 200);
    assert_eq!(listed(&server)[0].0, empty);

    for (query, parameter) in [
        ("sort=oldest", "sort"),
        ("sort=least_certain&q=x", "q"),
        ("sort=least_certain&status=COMPLETED", "status"),
        ("sort=least_certain&cursor=AAYAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "cursor"),
    ] {
        let refused = get(&server, &format!("/documents?{query}"));
        assert_eq!(
            (refused.status, &refused.body["details"]["parameter"]),
            (400, &json!(parameter)),
            "{query}"
        );
    }
}
