//! Hidden documents: not found and not listed by any address, from the very next request on, until they are restored.

use quire_domain::{DocumentId, EventType};
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::record::{RECORD, process_record, upload_lines};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R070 for hiding: search, lists, exports, similar documents and the review queue follow at once.
    a_hidden_document_is_nowhere_and_comes_back_at_once,
    a_word_that_only_hidden_documents_have_is_no_correction,
}

fn set_hidden(server: &TestServer, method: &str, id: DocumentId) -> Value {
    let response = server.request(&format!("{method} /documents/{id}/hide"), "");
    assert_eq!(response.status, 200, "{}", response.body);
    serde_json::from_str(&response.body).unwrap()
}

/// How many items an address lists.
fn listed(server: &TestServer, path: &str) -> usize {
    let list = server.json(path);
    let items = list["items"].as_array().unwrap_or_else(|| panic!("{path}: {list}")).len();
    if let Some(total) = list["total"].as_u64() {
        assert_eq!(total, items as u64, "{path}");
    }
    items
}

async fn a_hidden_document_is_nowhere_and_comes_back_at_once(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let (other, _) = process_record(env, &server).await;
    let everywhere = |server: &TestServer| {
        let exported = |query: &str| {
            let body = server.get(&format!("/documents/export?{query}")).body;
            [id, other].iter().filter(|id| body.contains(&id.to_string())).count()
        };
        let duplicates = &server.json(&format!("/documents/{other}"))["duplicates"];
        vec![
            listed(server, "/documents"),
            listed(server, "/documents?status=COMPLETED"),
            listed(server, "/documents?review_status=IN_REVIEW"),
            listed(server, "/documents?status=COMPLETED&review_status=IN_REVIEW"),
            listed(server, "/documents?q=otitis"),
            listed(server, "/documents?sort=least_certain"),
            listed(server, "/search?q=otitis"),
            listed(server, "/search?q=species:canino"),
            exported("format=jsonl"),
            exported("format=csv&rows=documents"),
            1 + listed(server, &format!("/documents/{other}/similar")),
            1 + duplicates.as_array().unwrap().len(),
        ]
    };
    assert_eq!(everywhere(&server), vec![2; 12]);
    assert_eq!(listed(&server, "/documents?hidden=only"), 0);
    for _ in 0..2 {
        let hidden = set_hidden(&server, "POST", id);
        assert_eq!(everywhere(&server), vec![1; 12], "hidden");
        for query in ["", "&q=otitis", "&status=COMPLETED", "&review_status=IN_REVIEW"] {
            let list = server.json(&format!("/documents?hidden=only{query}"));
            assert_eq!(list["items"][0]["document_id"], json!(id), "{query}");
            assert_eq!(
                (&list["total"], &list["items"][0]["hidden"]),
                (&json!(1), &hidden["hidden"]),
                "{query}"
            );
        }
        let detail = server.json(&format!("/documents/{id}"));
        assert_eq!((&detail["hidden"], &detail["hidden"]["by"]), (&hidden["hidden"], &json!("local")));
        assert_eq!(set_hidden(&server, "POST", id), hidden, "hiding it again changes nothing");
        // It can still be opened by its id, also by the page that reviews it.
        assert_eq!(server.get(&format!("/documents/{id}/review")).status, 200);
        assert_eq!(server.get(&format!("/runs/{run}")).status, 200);
        let next = server.get(&format!("/app/documents/{other}/next"));
        assert!(
            !next.header("location").unwrap_or_default().contains(&id.to_string()),
            "the next one is another"
        );
        assert_eq!(set_hidden(&server, "DELETE", id), json!({ "document_id": id, "hidden": null }));
        assert_eq!(everywhere(&server), vec![2; 12], "restored");
    }
    set_hidden(&server, "DELETE", id);
    let kinds = [EventType::DocumentHidden, EventType::DocumentUnhidden];
    let events = env.events().await;
    let told: Vec<_> =
        events.iter().map(|event| event.event_type).filter(|kind| kinds.contains(kind)).collect();
    assert_eq!(told, [kinds, kinds].concat());

    // A run of a hidden document completes, and does not bring it back.
    set_hidden(&server, "POST", id);
    server.post(&format!("/documents/{id}/reprocess"));
    assert_eq!(env.wait_for_latest_run(id).await.state.as_str(), "COMPLETED");
    assert_eq!(everywhere(&server), vec![1; 12], "reprocessed");

    for method in ["POST", "DELETE"] {
        let missing = server.request(&format!("{method} /documents/{}/hide", DocumentId::new()), "");
        assert_eq!(missing.status, 404, "{}", missing.body);
    }
    for refused in [
        "/documents?hidden=yes",
        "/documents?hidden=only&sort=least_certain",
        "/documents/export?hidden=only",
    ] {
        assert_eq!(server.get(refused).status, 400, "{refused}");
    }
    let printed = env.cli.run_ok(&["hide", &id.to_string(), "--undo"]);
    assert!(printed.contains("is not hidden"), "{printed}");
    assert_eq!(everywhere(&server), vec![2; 12]);
    let printed = env.cli.run_ok(&["hide", &id.to_string()]);
    assert!(printed.contains("is hidden since") && printed.contains("by local"), "{printed}");
    assert_eq!(everywhere(&server), vec![1; 12]);
}

async fn a_word_that_only_hidden_documents_have_is_no_correction(env: &TestEnv) {
    let server = env.cli.serve();
    process_record(env, &server).await;
    let named: Vec<&str> = RECORD
        .iter()
        .map(|line| if line.starts_with("Notas") { "Notas: dueño Wenceslao Esternocleida" } else { line })
        .collect();
    let named = upload_lines(&server, &named);
    env.wait_until_completed(named).await;
    let corrections = |server: &TestServer| server.json("/search?q=wenceslso+otitis")["corrections"].clone();
    let expected = json!([{ "word": "wenceslso", "meant": ["wenceslao"] }]);
    assert_eq!(corrections(&server), expected);
    set_hidden(&server, "POST", named);
    assert_eq!(corrections(&server), json!([]));
    set_hidden(&server, "DELETE", named);
    assert_eq!(corrections(&server), expected);
}
