//! Text that a person types: the server reads it, asks, or refuses it.

use serde_json::{Value, json};

use crate::http::Response;
use crate::program::TestServer;
use crate::record::{active_data, edit, field, pdf};
use crate::schemas::write_schema;
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    /// Proves R122 for typed text.
    a_typed_text_is_read_as_the_schema_says_or_it_is_a_question,
}

/// A schema with a number, a sum, a date and a closed list.
pub const METER: &str = r#"
name = "meter"
version = 1
title = { en = "Meter", es = "Contador" }

[[sections]]
id = "meter"

[[keys]]
key = "reading"
section = "meter"
value_type = "number"
labels = { en = ["reading"], es = ["lectura"] }

[[keys]]
key = "price"
section = "meter"
value_type = "number"
normaliser = "sum"
labels = { en = ["price"], es = ["precio"] }
validators.max = 5000

[[keys]]
key = "read_on"
section = "meter"
value_type = "date"
labels = { en = ["read on"], es = ["leido el"] }

[[keys]]
key = "state"
section = "meter"
labels = { en = ["state"], es = ["estado"] }
validators.one_of = ["good", "broken"]
"#;

const LINES: [&str; 3] = ["The water meter in the basement of the house", "Reading: 17", "State: good"];

/// Uploads a document of the schema and waits for its run. Returns the ids of document and run.
pub async fn process_meter(env: &TestEnv, server: &TestServer) -> (quire_domain::DocumentId, String) {
    let id =
        Form::file("meter.pdf", &pdf(&LINES)).send(server, "/documents/upload?schema=meter").document_id();
    (id, env.wait_until_completed(id).await.id.to_string())
}

fn assert_refused(response: &Response<Value>, code: &str, details: &Value) {
    let body = &response.body;
    assert_eq!((response.status, &body["error_code"]), (400, &json!(code)), "{body}");
    assert_eq!(&body["details"], details, "{body}");
}

/// The field that the edit added.
fn newest_field(saved: &Response<Value>) -> &Value {
    saved.body["data"]["fields"].as_array().unwrap().last().unwrap()
}

async fn a_typed_text_is_read_as_the_schema_says_or_it_is_a_question(env: &TestEnv) {
    write_schema(env, "meter.toml", METER);
    let server = env.cli.serve();
    let (id, run) = process_meter(env, &server).await;
    let reading = field(&active_data(&server, id), "reading")["field_id"].clone();
    let mut version = 1;
    let mut send = |change: Value| -> Response<Value> {
        let response = edit(&server, &run, version, &json!([change]));
        if response.status == 201 {
            version += 1;
        }
        response
    };
    for (text, value) in [("1.234,56", json!(1234.56)), ("(12,5)", json!(-12.5)), ("1 234", json!(1234))] {
        let saved = send(json!({ "op": "UPDATE", "field_id": reading, "text": text }));
        assert_eq!(saved.status, 201, "{text}: {}", saved.body);
        let field = field(&saved.body["data"], "reading");
        assert_eq!((&field["value"], &field["value_type"]), (&value, &json!("number")), "{text}");
    }
    for (change, value_type, readings) in [
        (json!({ "op": "UPDATE", "field_id": reading, "text": "1.234" }), "number", json!([1.234, 1234])),
        (json!({ "op": "UPDATE", "field_id": reading, "text": "1,234" }), "number", json!([1234, 1.234])),
        (
            json!({ "op": "ADD", "key": "read_on", "text": "03/02/2024" }),
            "date",
            json!(["2024-02-03", "2024-03-02"]),
        ),
    ] {
        let details = json!({ "index": 0, "member": "text", "readings": readings, "value_type": value_type });
        assert_refused(&send(change), "AMBIGUOUS_VALUE", &details);
    }
    // The answer to the question is the value itself.
    let answered =
        send(json!({ "op": "UPDATE", "field_id": reading, "value": 1.234, "value_type": "number" }));
    assert_eq!(answered.status, 201, "{}", answered.body);

    for (key, text) in [("price", "0x10"), ("price", "5001"), ("read_on", "31/02/2024"), ("state", "so-so")] {
        let refused = send(json!({ "op": "ADD", "key": key, "text": text }));
        assert_refused(&refused, "VALUE_NOT_ALLOWED", &json!({ "index": 0, "member": "text" }));
        let kept = send(json!({ "op": "ADD", "key": key, "text": text, "keep": true }));
        assert_eq!(kept.status, 201, "{text}: {}", kept.body);
        let kept = newest_field(&kept);
        assert_eq!((&kept["value"], &kept["value_type"]), (&json!(text), &json!("string")));
    }
    let sum = send(json!({ "op": "ADD", "key": "price", "text": "1.234 €" }));
    assert_eq!(newest_field(&sum)["value"], 1234, "{}", sum.body);
    let empty = send(json!({ "op": "UPDATE", "field_id": reading, "text": " " }));
    assert_eq!(field(&empty.body["data"], "reading")["value"], Value::Null, "{}", empty.body);

    // A stale edit reports the value that was read, and how to send it again.
    let stale = edit(&server, &run, 1, &json!([{ "op": "UPDATE", "field_id": reading, "text": "9,5" }]));
    let conflict = &stale.body["details"]["conflicts"][0];
    assert_eq!(
        (stale.status, &conflict["requested"], &conflict["retry"]["value"]),
        (409, &json!(9.5), &json!(9.5))
    );
}
