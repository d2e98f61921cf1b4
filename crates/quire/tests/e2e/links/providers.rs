//! Links with Firecrawl and a model: both are asked in their lanes.

use quire_testkit::firecrawl_server::FirecrawlFailure;
use quire_testkit::{FirecrawlServer, ModelReply, ModelServer};
use serde_json::{Value, json};

use super::{ARTICLE, ended, send};
use crate::model::lanes::lane_of;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R213 for the providers of links.
    a_page_is_read_by_firecrawl_and_summarised_by_a_model_each_in_its_lane,
}

const KEY: &str = "sk-a-key-that-nobody-may-see";
/// Firecrawl is at this address, and so is no page.
const FIRECRAWL_LANE: &str = "host:127.0.0.1";

fn waiting(server: &TestServer, lane: &str) -> Value {
    let lanes = server.json("/lanes");
    let found = lanes["items"].as_array().unwrap().iter().find(|one| one["name"] == lane);
    found.map_or(json!(null), |lane| lane["waiting"].clone())
}

async fn a_page_is_read_by_firecrawl_and_summarised_by_a_model_each_in_its_lane(env: &TestEnv) {
    let firecrawl = FirecrawlServer::start(KEY, 9);
    let page = "http://127.0.0.2/umbrellas";
    firecrawl.add_page(page, ARTICLE, &json!({ "title": "Umbrellas", "statusCode": 200 }));
    let answer = json!({ "summary_250": "The city lends umbrellas.", "tldr": "Umbrellas are lent." });
    let model = ModelServer::with_key(KEY).replying(vec![ModelReply::Completion(answer.to_string())]);
    let file = format!(
        "[web]\nallow = \"127.0.0.2\"\n[web.firecrawl]\nurl = \"{}\"\napi_key = \"{KEY}\"\n\
         [model]\nurl = \"{}\"\nname = \"any\"\napi_key = \"{KEY}\"\n",
        firecrawl.url, model.url
    );
    env.cli.write("quire.toml", &file);
    firecrawl.fail_next(FirecrawlFailure::Status(429, Some(600)));
    let server = env.cli.serve();
    let model_lane = lane_of(&model);
    assert_eq!(server.post(&format!("/lanes/{model_lane}/pause")).status, 200);
    wait_until(async || {
        server.get("/metrics").body.contains(&format!("quire_lane_closed{{lane=\"{model_lane}\"}} 1\n"))
    })
    .await;

    let request = send(&server, page);
    wait_until(async || waiting(&server, FIRECRAWL_LANE) == 1).await;
    wait_until(async || server.get("/metrics").body.contains("quire_lane_closed{lane=\"host\"} 1\n")).await;
    assert_eq!(firecrawl.requests().len(), 1);
    assert_eq!(server.post(&format!("/lanes/{FIRECRAWL_LANE}/resume")).status, 200);
    wait_until(async || waiting(&server, &model_lane) == 1).await;
    assert!(model.requests().is_empty());
    assert_eq!(server.post(&format!("/lanes/{model_lane}/resume")).status, 200);

    let detail = ended(env, &server, request).await;
    assert_eq!(detail["request"]["status"], "success", "{detail}");
    assert_eq!(detail["summary"]["json_payload"]["tldr"], "Umbrellas are lent.");
    assert_eq!(detail["llm_calls"].as_array().unwrap().len(), 1);
    assert_eq!((firecrawl.requests().len(), model.requests().len()), (2, 1));
    let records = env.store.run_reader.step_records(request).await.unwrap();
    assert!(records.iter().all(|record| record.attempt == 1), "{records:?}");
}
