//! Embedding again after a change of the model: it can be seen and paused, and a kill in the middle loses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::encoded;
use super::endpoint::{KEY, vector};
use crate::program::TestServer;
use crate::record::upload_lines;
use crate::test_env::{TestEnv, on_both_stores, wait_until};

on_both_stores! {
    /// Proves R203 for a change of the model.
    embedding_again_is_paused_by_its_lane_and_goes_on_after_a_kill,
}

const TEXTS: [&str; 3] = [
    "El gato come pescado cada mañana en la cocina de la casa",
    "Factura de la luz de mayo con su importe y su vencimiento",
    "Contrato de alquiler de un piso en el centro de la ciudad",
];

fn use_model(env: &TestEnv, provider: &ModelServer, model: &str) {
    let settings = format!("[search]\nurl = {:?}\nmodel = {model:?}\napi_key = {KEY:?}\n", provider.url);
    env.cli.write("quire.toml", &settings);
}

/// How often the second model was asked for the vectors of this text.
fn asked(provider: &ModelServer, text: &str) -> usize {
    let has = |body: &Value| body["model"] == "second" && body["input"].to_string().contains(text);
    provider.requests().iter().filter(|request| has(&request.body)).count()
}

async fn wait_until_left(server: &TestServer, left: usize) {
    let line = format!("quire_indexing_left {left}\n");
    wait_until(async || server.get("/metrics").body.contains(&line)).await;
}

fn kill(server: TestServer) {
    server.signal("-KILL");
    server.wait();
}

async fn embedding_again_is_paused_by_its_lane_and_goes_on_after_a_kill(env: &TestEnv) {
    let is_silent = Arc::new(AtomicBool::new(true));
    let silent = is_silent.clone();
    let provider = ModelServer::with_key(KEY).answering(move |body, _| {
        let texts: Vec<&str> =
            body["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let waits = body["model"] == "second" && texts.iter().any(|text| text.contains("Factura"));
        if waits && silent.load(Ordering::SeqCst) {
            return ModelReply::NoResponse;
        }
        ModelReply::Embeddings(texts.into_iter().map(vector).collect())
    });
    use_model(env, &provider, "first");
    let server = env.cli.serve();
    let mut ids = Vec::new();
    for text in TEXTS {
        let id = upload_lines(&server, &[text]);
        env.wait_until_completed(id).await;
        ids.push(id.to_string());
    }
    assert_eq!(server.post("/lanes/indexing/pause").status, 200);
    kill(server);

    // The pause outlives the process, and the new one says what it would do.
    use_model(env, &provider, "second");
    let server = env.cli.serve();
    wait_until_left(&server, 3).await;
    assert_eq!(asked(&provider, "gato"), 0, "nothing is embedded while the lane is paused");
    assert_eq!(server.post("/lanes/indexing/resume").status, 200);

    // A kill in the middle: the first document is done, the model is thinking about the second one.
    wait_until(async || asked(&provider, "Factura") == 1).await;
    kill(server);
    is_silent.store(false, Ordering::SeqCst);
    let server = env.cli.serve();
    wait_until_left(&server, 0).await;
    assert_eq!(asked(&provider, "gato"), 1, "what was done is not done again");
    assert_eq!((asked(&provider, "Factura"), asked(&provider, "alquiler")), (2, 1));
    for (query, id) in ["felino", "recibo", "arrendamiento"].into_iter().zip(&ids) {
        let found = server.json(&format!("/search?q={}", encoded(query)));
        assert_eq!(found["items"][0]["document"]["document_id"], json!(id), "{query}: {found}");
    }
}
