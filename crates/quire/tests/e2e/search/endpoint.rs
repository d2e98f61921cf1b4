//! Vectors from an OpenAI-compatible endpoint. The fake provider checks each request against the published contract.

use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::encoded;
use crate::record::upload_lines;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R203: the vectors of an endpoint find what says the same in other words.
    an_endpoint_makes_the_vectors_of_texts_and_queries,
    /// Proves R046 for EMBEDDING.
    a_failed_embedding_is_the_failure_type,
}

/// Words that mean the same have the same place in a vector.
const MEANINGS: [&[&str]; 3] = [&["gato", "felino"], &["factura", "recibo"], &["alquiler", "arrendamiento"]];
/// The key that the provider expects.
pub(super) const KEY: &str = "sk-vectors";
/// A text with this word is refused.
const REFUSED: &str = "prohibido";

pub(super) fn vector(text: &str) -> Vec<f32> {
    let has =
        |words: &&[&str]| f32::from(u8::from(words.iter().any(|word| text.to_lowercase().contains(word))));
    MEANINGS.iter().map(has).chain([0.01]).collect()
}

/// Starts the provider, which refuses a text with the word [`REFUSED`], and configures it.
fn start(env: &TestEnv) -> ModelServer {
    let server = ModelServer::with_key(KEY).answering(|body, _| {
        let texts: Vec<&str> =
            body["input"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if texts.iter().any(|text| text.contains(REFUSED)) {
            return ModelReply::Refused("this text is not allowed");
        }
        ModelReply::Embeddings(texts.into_iter().map(vector).collect())
    });
    // In a file, because the address is known only here.
    let settings = format!("[search]\nurl = {:?}\nmodel = \"meanings-1\"\napi_key = {KEY:?}\n", server.url);
    env.cli.write("quire.toml", &settings);
    server
}

async fn an_endpoint_makes_the_vectors_of_texts_and_queries(env: &TestEnv) {
    let provider = start(env);
    let server = env.cli.serve();
    let mut ids = Vec::new();
    let texts = [
        "El gato come pescado cada mañana en la cocina de la casa",
        "Factura de la luz de mayo con su importe y su vencimiento",
        "Contrato de alquiler de un piso en el centro de la ciudad",
    ];
    for text in texts {
        let id = upload_lines(&server, &[text]);
        env.wait_until_completed(id).await;
        ids.push(id.to_string());
    }
    for (query, id) in [("felino", &ids[0]), ("recibo", &ids[1]), ("arrendamiento", &ids[2])] {
        let found = server.json(&format!("/search?q={}", encoded(query)));
        assert_eq!(found["items"][0]["document"]["document_id"], json!(id), "{query}: {found}");
        let boxes = found["items"][0]["snippet"]["boxes"].as_array().unwrap();
        assert_eq!(boxes.len(), 1, "the passage is boxed as a whole: {found}");
    }
    // What a filter leaves is compared, although others are nearer.
    let filtered = server.json(&format!("/search?q={}", encoded("felino -gato")));
    assert!(!filtered.to_string().contains(&ids[0]), "{filtered}");
    let requests = provider.requests();
    assert!(requests.iter().all(|request| request.body["model"] == "meanings-1"), "{requests:?}");
    assert!(requests.iter().any(|request| request.body["input"].to_string().contains("pescado")));
}

async fn a_failed_embedding_is_the_failure_type(env: &TestEnv) {
    let _provider = start(env);
    let server = env.cli.serve();
    let id = upload_lines(&server, &["El gato come pescado", REFUSED]);
    let run = env.wait_for_latest_run(id).await;
    let reason = run.state.reason().unwrap();
    assert_eq!(reason.failure_type.as_str(), "EMBEDDING_FAILED");
    assert_eq!(reason.record.error_code, "MODEL_REFUSED");
    assert_eq!(server.json(&format!("/documents/{id}"))["status"], "FAILED");
}
