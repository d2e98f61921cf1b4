//! Summaries: lists, marks, deletion, and what belongs to whom.

use quire_domain::RunId;
use serde_json::{Value, json};

use super::{ARTICLE, ended, send, site};
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    summaries_are_found_marked_and_deleted,
    a_key_sees_its_own_requests_and_no_others,
}

async fn summaries_are_found_marked_and_deleted(env: &TestEnv) {
    let site = site(env);
    site.set_article("/raincoats", "Raincoats", &ARTICLE.replace("mbrella", "aincoat"));
    let server = env.cli.serve();
    let mut ids = Vec::new();
    for path in ["/umbrellas", "/raincoats"] {
        let request = send(&server, &site.url(path));
        ids.push(ended(env, &server, request).await["summary"]["summary_id"].as_str().unwrap().to_owned());
    }
    let list = server.json("/v1/summaries");
    assert_eq!((&list["total"], &list["stats"]["unread_count"]), (&json!(2), &json!(2)));
    let first = &list["summaries"][0];
    assert_eq!((&first["title"], &first["url"]), (&json!("Raincoats"), &json!(site.url("/raincoats"))));
    assert_eq!((&first["domain"], &first["is_read"]), (&json!("127.0.0.1"), &json!(false)));
    let ascending = server.json("/v1/summaries?sort=created_at_asc&limit=1");
    assert_eq!(ascending["summaries"][0]["summary_id"], ids[0]);
    assert_eq!(server.json("/v1/summaries?q=RAINCOATS")["total"], 1);
    assert_eq!(
        server.json("/v1/summaries?lang=en&is_read=false&start_date=2020-01-01T00:00:00Z")["total"],
        2
    );
    assert_eq!(server.json("/v1/summaries?end_date=2020-01-01T00:00:00Z")["total"], 0);
    for wrong in ["limit=0", "limit=101", "sort=title", "is_read=yes", "start_date=today", "unknown=1"] {
        assert_eq!(server.get(&format!("/v1/summaries?{wrong}")).status, 400, "{wrong}");
    }

    let path = format!("/v1/summaries/{}", ids[0]);
    let shown = server.json(&path);
    let processing = &shown["processing"];
    assert_eq!(processing["model_used"], shown["summary"]["made_by"]);
    assert_eq!((&processing["llm_calls"], &processing["tokens_used"]), (&json!(0), &json!(0)));
    assert!(processing["processing_time_ms"].as_i64().is_some_and(|time| time >= 0), "{processing}");
    let payload = &shown["summary"]["json_payload"];
    assert_eq!(processing["confidence"], payload["confidence"]);
    assert_eq!(processing["hallucination_risk"], payload["hallucination_risk"]);
    let marked = change(&server, "PATCH", &path, &json!({ "is_read": true }));
    assert_eq!((marked.status, &marked.body["summary"]["is_read"]), (200, &json!(true)));
    assert_eq!(marked.body["source"]["title"], "Shared umbrellas");
    assert_eq!(server.json("/v1/summaries?is_read=true")["total"], 1);
    assert_eq!(change(&server, "PATCH", &path, &json!({ "is_read": 1 })).status, 400);
    assert_eq!(server.request(&format!("DELETE {path}"), "").status, 204);
    assert_eq!(server.get(&path).status, 404);
    assert_eq!(server.request(&format!("DELETE {path}"), "").status, 404);
    assert_eq!(server.json("/v1/summaries")["total"], 1);
    // A page whose summary was deleted is summarised again.
    let again = send(&server, &site.url("/umbrellas"));
    assert_eq!(ended(env, &server, again).await["request"]["status"], "success");
}

async fn a_key_sees_its_own_requests_and_no_others(env: &TestEnv) {
    let site = site(env);
    let (ana, ben) = (env.create_key("ana", "read,operate"), env.create_key("ben", "read,operate"));
    let server = env.cli.serve();
    let body = json!({ "type": "url", "input_url": site.url("/umbrellas") });
    let of_ana = server.request_json("POST /v1/requests", &ana, &body.to_string());
    assert_eq!(of_ana.status, 202, "{:?}", of_ana.body);
    let id: RunId = of_ana.body["request_id"].as_str().unwrap().parse().unwrap();
    env.wait_for_run(id).await;
    let of_ben = server.request_json("POST /v1/requests", &ben, &body.to_string());
    assert_eq!(of_ben.status, 202, "another client's request is no duplicate: {:?}", of_ben.body);
    let theirs: RunId = of_ben.body["request_id"].as_str().unwrap().parse().unwrap();
    env.wait_for_run(theirs).await;
    let path = format!("/v1/requests/{id}");
    assert_eq!(get(&server, &ana, &path).status, 200);
    assert_eq!(get(&server, &ben, &path).status, 404);
    assert_eq!(get(&server, &ben, &format!("{path}/status")).status, 404);
    assert_eq!(get(&server, &ana, "/v1/summaries").body["total"], 1);
}

fn change(server: &TestServer, method: &str, path: &str, body: &Value) -> Response<Value> {
    server.request_json(&format!("{method} {path}"), "", &body.to_string())
}

fn get(server: &TestServer, key: &str, path: &str) -> Response<Value> {
    server.request_json(&format!("GET {path}"), key, "")
}
