//! Requests: from a page to its summary, duplicates, failures and retries.

use serde_json::json;

use super::{ARTICLE, ended, id_of, send, site};
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R178, R180, R192, R194, R198 for links.
    a_page_is_summarised_without_a_key,
    /// Proves R191.
    a_page_is_summarised_once_and_a_failed_one_can_be_sent_again,
    /// Proves R181, R182, R186, R193, R210.
    a_failed_request_says_why_and_is_retried_as_a_new_one,
    a_request_is_cancelled_over_http_and_can_be_sent_again,
    a_forwarded_text_is_summarised_once,
    a_wrong_request_is_refused_and_stores_nothing,
    /// Proves R198 for links whose model is configured in part.
    a_model_without_a_name_refuses_links_and_names_the_setting,
}

async fn a_page_is_summarised_without_a_key(env: &TestEnv) {
    let site = site(env);
    let server = env.cli.serve();
    let url = site.url("/umbrellas?utm_source=x#top");
    let response = server.post_json("/v1/requests", &json!({ "type": "url", "input_url": url }));
    assert_eq!(response.status, 202, "{:?}", response.body);
    let body = &response.body;
    assert_eq!((&body["type"], &body["status"]), (&json!("url"), &json!("pending")));
    assert_eq!((&body["is_duplicate"], &body["estimated_wait_seconds"]), (&json!(false), &json!(15)));
    let id = id_of(&body["request_id"]);
    let detail = ended(env, &server, id).await;
    let request = &detail["request"];
    assert_eq!(request["status"], "success", "{detail}");
    assert_eq!(request["normalized_url"], site.url("/umbrellas"));
    assert_eq!(request["correlation_id"], body["correlation_id"]);
    assert_eq!(detail["crawl_result"]["title"], "Shared umbrellas");
    let payload = &detail["summary"]["json_payload"];
    assert!(payload["summary_250"].as_str().unwrap().chars().count() <= 250, "{payload}");
    assert!(payload["summary_1000"].as_str().unwrap().contains("mbrellas"), "{payload}");
    assert_eq!(payload["metadata"]["title"], "Shared umbrellas");
    let status = server.json(&format!("/v1/requests/{id}/status"));
    assert_eq!((&status["status"], &status["can_retry"]), (&json!("success"), &json!(false)));
    assert_eq!(status["progress"], json!({"current_step": 2, "total_steps": 2, "percentage": 100}));
    let log = server.stop().stderr;
    let correlation = body["correlation_id"].as_str().unwrap();
    let about = [format!("\"request_id\":\"{id}\""), format!("\"run_id\":\"{id}\"")];
    let lines: Vec<_> = log.lines().filter(|line| about.iter().any(|field| line.contains(field))).collect();
    assert!(lines.len() >= 5 && lines.iter().all(|line| line.contains(correlation)), "{lines:#?}");
    for event in ["bg_processing_start", "bg_lock_acquired", "bg_processing_success"] {
        let line = log.lines().find(|line| line.contains(event)).unwrap_or_else(|| panic!("{event}: {log}"));
        assert!(line.contains(correlation) && line.contains(&id.to_string()), "{line}");
    }
}

async fn a_page_is_summarised_once_and_a_failed_one_can_be_sent_again(env: &TestEnv) {
    let site = site(env);
    site.hold();
    let server = env.cli.serve();
    let first = send(&server, &site.url("/umbrellas"));
    let again = json!({ "type": "url", "input_url": site.url("/umbrellas/#x") });
    let duplicate = server.post_json("/v1/requests", &again);
    assert_eq!(duplicate.status, 200);
    assert_eq!(id_of(&duplicate.body["existing_request_id"]), first);
    assert_eq!(duplicate.body["existing_summary_id"], json!(null));
    site.release();
    let detail = ended(env, &server, first).await;
    let duplicate = server.post_json("/v1/requests", &again);
    assert_eq!((duplicate.status, &duplicate.body["is_duplicate"]), (200, &json!(true)));
    assert_eq!(duplicate.body["existing_summary_id"], detail["summary"]["summary_id"]);
    assert_eq!(duplicate.body["summarized_at"], detail["summary"]["created_at"]);
    assert_eq!(site.requests("/umbrellas"), 1);

    let missing = send(&server, &site.url("/missing"));
    assert_eq!(ended(env, &server, missing).await["request"]["status"], "error");
    site.set_article("/missing", "Here now", ARTICLE);
    let second = send(&server, &site.url("/missing"));
    assert_eq!(ended(env, &server, second).await["request"]["status"], "success");
}

async fn a_failed_request_says_why_and_is_retried_as_a_new_one(env: &TestEnv) {
    let site = site(env);
    site.set("/broken", 503, "");
    let server = env.cli.serve();
    let failed = send(&server, &site.url("/broken"));
    let not_yet = server.post_json(&format!("/v1/requests/{failed}/retry"), &json!({}));
    assert!([409, 202].contains(&not_yet.status), "it may have ended already");
    let detail = ended(env, &server, failed).await;
    let error = &detail["request"]["error"];
    assert_eq!((&error["error_code"], &error["stage"]), (&json!("EXTRACTION_FAILED"), &json!("extraction")));
    assert_eq!(
        (&error["error_type"], &error["reason_code"]),
        (&json!("transient"), &json!("WEB_PAGE_UNAVAILABLE"))
    );
    assert_eq!(error["correlation_id"], detail["request"]["correlation_id"]);
    assert_eq!(site.requests("/broken"), 3);
    let metrics = server.get("/metrics").body;
    for line in [
        "quire_step_retries_total{pipeline=\"link\",step=\"extraction\"} 2",
        "quire_step_failures_total{pipeline=\"link\",step=\"extraction\",code=\"WEB_PAGE_UNAVAILABLE\"} 3",
        "quire_lock_skips_total{source=\"redis\"} 0",
        "quire_redis_errors_total{doing=\"acquire\"} 0",
    ] {
        assert!(metrics.contains(line), "{line} is not in {metrics}");
    }
    let status = server.json(&format!("/v1/requests/{failed}/status"));
    assert_eq!((&status["status"], &status["can_retry"]), (&json!("error"), &json!(true)));

    site.set_article("/broken", "Mended", ARTICLE);
    let retried = server.post_json(&format!("/v1/requests/{failed}/retry"), &json!({}));
    assert_eq!(retried.status, 202, "{:?}", retried.body);
    let new = id_of(&retried.body["new_request_id"]);
    assert_ne!(new, failed);
    let correlation = detail["request"]["correlation_id"].as_str().unwrap();
    assert_eq!(retried.body["correlation_id"], format!("{correlation}-retry-1"));
    let retried = ended(env, &server, new).await;
    assert_eq!(retried["request"]["status"], "success", "{retried}");
    assert_eq!(id_of(&retried["request"]["retry_of"]), failed);
    for ended in [failed, new] {
        let refused = server.post_json(&format!("/v1/requests/{ended}/retry"), &json!({}));
        assert_eq!((refused.status, &refused.body["details"]["reason"]), (409, &json!("RETRY_NOT_ALLOWED")));
    }
    let in_place = server.post_json(&format!("/runs/{failed}/retry"), &json!({}));
    assert_eq!(in_place.status, 409, "a link is not retried in place");
    let log = server.stop().stderr;
    let retry = log.lines().find(|line| line.contains("bg_retry")).unwrap();
    let retry: serde_json::Value = serde_json::from_str(retry).unwrap();
    let fields = &retry["fields"];
    let fields = if fields.is_null() { &retry } else { fields };
    for name in ["correlation_id", "request_id", "stage", "attempt", "delay_ms", "error"] {
        assert!(!fields[name].is_null(), "{name} is not in {retry}");
    }
}

async fn a_model_without_a_name_refuses_links_and_names_the_setting(env: &TestEnv) {
    let site = site(env);
    let file = std::fs::read_to_string(env.cli.path("quire.toml")).unwrap();
    for (given, missing) in
        [("url = \"https://api.example.com/v1\"", "model.name"), ("name = \"any\"", "model.url")]
    {
        env.cli.write("quire.toml", &format!("{file}[model]\n{given}\n"));
        let server = env.cli.serve();
        let body = json!({ "type": "url", "input_url": site.url("/umbrellas") });
        let refused = server.post_json("/v1/requests", &body);
        assert_eq!((refused.status, &refused.body["error_code"]), (503, &json!("PROVIDER_NOT_CONFIGURED")));
        assert_eq!(refused.body["details"]["settings"], json!([missing]));
        drop(server);
        let output = env.cli.run(&["summarise", &site.url("/umbrellas")]);
        assert!(!output.status.success() && output.stderr.contains(missing), "{}", output.stderr);
    }
    assert_eq!(env.sql.number("SELECT count(*) FROM runs").await, 0);
}

/// The page never answers. A person ends the request, and the connection to the host is closed.
async fn a_request_is_cancelled_over_http_and_can_be_sent_again(env: &TestEnv) {
    let site = site(env);
    site.hold();
    let server = env.cli.serve();
    let request = send(&server, &site.url("/umbrellas"));
    wait_until(async || site.requests("/umbrellas") == 1).await;
    assert_eq!(server.json(&format!("/v1/requests/{request}/status"))["status"], "processing");
    let cancelled = server.post(&format!("/runs/{request}/cancel"));
    assert_eq!((cancelled.status, &cancelled.json()["failure_type"]), (200, &json!("CANCELLED")));
    let detail = ended(env, &server, request).await;
    let shown = &detail["request"];
    assert_eq!((&shown["status"], &shown["error"]["error_code"]), (&json!("error"), &json!("CANCELLED")));
    assert!(detail["summary"].is_null(), "{detail}");
    let status = server.json(&format!("/v1/requests/{request}/status"));
    assert_eq!((&status["can_retry"], &status["progress"]["percentage"]), (&json!(true), &json!(20)));
    assert_eq!(server.post(&format!("/runs/{request}/cancel")).status, 409, "it has ended");
    site.release();
    let again = send(&server, &site.url("/umbrellas"));
    assert_eq!(ended(env, &server, again).await["request"]["status"], "success");
}

async fn a_forwarded_text_is_summarised_once(env: &TestEnv) {
    site(env);
    let server = env.cli.serve();
    let body = json!({ "type": "forward", "content_text": ARTICLE, "lang_preference": "auto",
        "forward_metadata": {"from_chat_id": -100, "from_message_id": 7, "title": "News", "username": ["x"]} });
    let accepted = server.post_json("/v1/requests", &body);
    assert_eq!((accepted.status, &accepted.body["estimated_wait_seconds"]), (202, &json!(10)));
    let id = id_of(&accepted.body["request_id"]);
    let detail = ended(env, &server, id).await;
    assert_eq!(detail["request"]["status"], "success", "{detail}");
    let post = &detail["summary"]["json_payload"]["forwarded_post_extras"];
    assert_eq!(
        (&post["channel_id"], &post["title"]),
        (&json!(-100), &json!("News")),
        "one wrong member costs no other"
    );
    assert_eq!(detail["crawl_result"], json!(null));
    let duplicate = server.post_json("/v1/requests", &body);
    assert_eq!((duplicate.status, id_of(&duplicate.body["existing_request_id"])), (200, id));
}

async fn a_wrong_request_is_refused_and_stores_nothing(env: &TestEnv) {
    let server = env.cli.serve();
    for (body, parameter) in [
        (json!({ "type": "picture" }), "type"),
        (json!({ "type": "url" }), "input_url"),
        (json!({ "type": "url", "input_url": "" }), "input_url"),
        (json!({ "type": "url", "input_url": "ftp://example.com/x" }), "input_url"),
        (json!({ "type": "url", "input_url": "https://user@example.com/" }), "input_url"),
        (
            json!({ "type": "url", "input_url": "https://example.com", "lang_preference": "xx" }),
            "lang_preference",
        ),
        (json!({ "type": "url", "input_url": "https://example.com", "content_text": "x" }), "content_text"),
        (json!({ "type": "forward", "content_text": "short" }), "content_text"),
        (json!({ "type": "forward" }), "content_text"),
        (json!({ "type": "forward", "content_text": "ten characters", "input_url": "x" }), "input_url"),
    ] {
        let refused = server.post_json("/v1/requests", &body);
        assert_eq!((refused.status, &refused.body["error_code"]), (400, &json!("INVALID_REQUEST")), "{body}");
        assert_eq!(refused.body["details"]["parameter"], parameter, "{body}");
    }
    assert_eq!(env.sql.number("SELECT count(*) FROM runs").await, 0);
    for path in [
        "/v1/requests/0192f0c1-5b7a-7c3e-8f00-0123456789ab",
        "/v1/summaries/0192f0c1-5b7a-7c3e-8f00-0123456789ab",
    ] {
        assert_eq!(server.get(path).status, 404);
        assert_eq!(server.get(&path[..20]).status, 400);
    }
}
