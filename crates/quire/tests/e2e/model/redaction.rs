//! Personal data is hidden from the model and restored in the fields.

use quire_testkit::{ModelReply, ModelServer};
use serde_json::json;

use super::{KEY, interpretation, use_model};
use crate::record::field;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    phone_and_chip_numbers_are_hidden_from_the_model_and_restored,
}

async fn phone_and_chip_numbers_are_hidden_from_the_model_and_restored(env: &TestEnv) {
    let reply = |chip: Option<&str>| {
        let text = json!({ "document": { "pet_name": "Luna", "microchip_id": chip, "notes": "tel. [PHONE-1]" }, "visits": [] });
        ModelReply::Completion(text.to_string())
    };
    let plain = json!({ "document": { "pet_name": "Luna" }, "visits": [] }).to_string();
    let model =
        ModelServer::start(KEY, vec![reply(Some("[CHIP-1]")), reply(None), ModelReply::Completion(plain)]);
    use_model(env, &model, "");
    let server = env.cli.serve();
    for mapping in ["model::microchip_id", "label_regex::microchip"] {
        let active = interpretation(env, &server).await;
        assert_eq!(active["made_by"]["interpreter"], "model");
        let chip = field(&active["data"], "microchip_id");
        assert_eq!((&chip["value"], &chip["mapping_id"]), (&json!("941000012345678"), &json!(mapping)));
        assert_eq!(chip["evidence"]["boxes"].as_array().unwrap().len(), 1);
        assert_eq!(field(&active["data"], "notes")["value"], "tel. 600 123 456");
    }
    for asked in model.requests() {
        let text = asked.text();
        assert!(text.contains("Luna") && text.contains("[CHIP-1]") && text.contains("[PHONE-1]"));
        assert!(!text.contains("941000012345678") && !text.contains("600 123 456"), "a number was sent");
    }
    server.stop();

    use_model(env, &model, "redact = false");
    let server = env.cli.serve();
    interpretation(env, &server).await;
    assert!(model.requests()[2].text().contains("941000012345678"), "without redaction it is sent");
}
