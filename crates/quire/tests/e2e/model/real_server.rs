//! A story against llama.cpp: a server that nobody here wrote. Its small model writes nonsense that fits the schema, so the
//! story proves the protocol and not the wisdom.

use serde_json::json;

use crate::program::TestServer;
use crate::record::{field, pdf, review};
use crate::schemas::write_schema;
use crate::test_env::TestEnv;
use crate::uploads::form::Form;

/// The key that the server of `cargo xtask test` accepts.
const KEY: &str = "quire-test";

/// One answer is possible in a few words: true, false or null.
const SCHEMA: &str = r#"
name = "letter"
version = 1
title = { es = "Carta", en = "Letter" }

[[sections]]
id = "letter"

[[keys]]
key = "is_signed"
section = "letter"
value_type = "boolean"
labels = { es = ["firmada"], en = ["signed"] }
"#;

fn configure(env: &TestEnv, key: &str) {
    let url = std::env::var("QUIRE_TEST_MODEL_URL")
        .expect("QUIRE_TEST_MODEL_URL is not set; run `cargo xtask test`, which starts a server");
    let settings = format!(
        "[schemas]\ndefault = \"letter\"\n[pipelines.document]\nrun_limit = \"600s\"\n[interpreter]\nkind = \"model\"\n\
         [model]\nurl = \"{url}\"\nname = \"any\"\napi_key = \"{key}\"\ntimeout = \"280s\"\nidle_timeout = \"280s\"\n\
         max_answer_tokens = 64\nprice_per_million_in = 1.0\nprice_per_million_out = 1.0\n"
    );
    env.cli.write("quire.toml", &settings);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_answers_by_the_schema_and_its_tokens_are_recorded() {
    let env = &TestEnv::on_sqlite(&[]);
    write_schema(env, "letter.toml", SCHEMA);
    let lines = ["Dear reader, this letter says very little but says it politely", "Signed: yes, by hand"];
    let upload = |server: &TestServer| {
        Form::file("letter.pdf", &pdf(&lines)).send(server, "/documents/upload").document_id()
    };

    configure(env, KEY);
    let server = env.cli.serve();
    let document = upload(&server);
    let run = env.wait_until_completed(document).await.id;
    let active = &review(&server, document)["active_interpretation"];
    let made_by = &active["made_by"];
    assert_eq!((&made_by["interpreter"], &made_by["fallback_reason"]), (&json!("model"), &json!(null)));
    assert!(made_by["tokens_in"].as_u64().unwrap() > 50, "{made_by}");
    let answered = field(&active["data"], "is_signed");
    assert!(answered["value"].is_null(), "a text never says true: {answered}");
    let calls = env.store.model_calls.of_run(run).await.unwrap();
    assert_eq!(calls.len(), 1, "one streamed request with a JSON schema, and nothing refused: {calls:?}");
    assert_eq!(calls[0].tokens_in, made_by["tokens_in"].as_u64().unwrap());
    assert!(calls[0].model.contains("SmolLM2"), "as the server calls it: {}", calls[0].model);
    assert!(calls[0].cost.is_some_and(|cost| cost > 0.0));
    server.stop();

    configure(env, "another-key");
    let server = env.cli.serve();
    let document = upload(&server);
    env.wait_until_completed(document).await;
    let made_by = &review(&server, document)["active_interpretation"]["made_by"];
    assert_eq!(made_by["fallback_reason"], "MODEL_REFUSED", "it checks the key");
}
