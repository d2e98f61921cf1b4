//! What tells of people is hidden from a model, and known all the same.

use quire_testkit::{ModelReply, ModelServer};
use serde_json::json;

use super::{KEY, choose, understood};
use crate::reviewing::field;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    numbers_of_people_and_chips_never_reach_the_model_and_are_known_all_the_same,
}

async fn numbers_of_people_and_chips_never_reach_the_model_and_are_known_all_the_same(scene: &Scene) {
    let says = |chip: Option<&str>| {
        let answer = json!({ "document": { "pet_name": "Luna", "microchip_id": chip, "notes": "tel. [PHONE-1]" }, "visits": [] });
        ModelReply::Completion(answer.to_string())
    };
    let plain = json!({ "document": { "pet_name": "Luna" }, "visits": [] }).to_string();
    let model =
        ModelServer::start(KEY, vec![says(Some("[CHIP-1]")), says(None), ModelReply::Completion(plain)]);
    choose(scene, &model, "");
    let server = scene.quire.serve();
    for mapping in ["model::microchip_id", "label_regex::microchip"] {
        let active = understood(scene, &server).await;
        assert_eq!(active["made_by"]["interpreter"], "model");
        let chip = field(&active["data"], "microchip_id");
        assert_eq!((&chip["value"], &chip["mapping_id"]), (&json!("941000012345678"), &json!(mapping)));
        assert_eq!(chip["evidence"]["boxes"].as_array().unwrap().len(), 1);
        assert_eq!(field(&active["data"], "notes")["value"], "tel. 600 123 456");
    }
    for asked in model.requests() {
        let text = asked.text();
        assert!(text.contains("Luna") && text.contains("[CHIP-1]") && text.contains("[PHONE-1]"));
        assert!(!text.contains("941000012345678") && !text.contains("600 123 456"), "it was sent");
    }
    server.stop();

    choose(scene, &model, "redact = false");
    let server = scene.quire.serve();
    understood(scene, &server).await;
    assert!(model.requests()[2].text().contains("941000012345678"), "whoever wants that sends it");
}
