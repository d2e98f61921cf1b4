//! Endpoints that lack a part of the API are asked without it.

use quire_testkit::model_server::Abilities;
use serde_json::Value;

use super::*;

fn formats(server: &ModelServer) -> Vec<Value> {
    server.requests().iter().map(|request| request.body["response_format"]["type"].clone()).collect()
}

/// Asks twice. The refusals of the first time are remembered.
async fn ask_twice(abilities: Abilities, reply: &str) -> ModelServer {
    let server = ModelServer::with_key(KEY).with(abilities).replying(vec![completion(reply)]);
    let model = model(settings(&server.url));
    for _ in 0..2 {
        assert_eq!(model.ask(&request()).await.unwrap().json(), "{\"a\":1}");
    }
    server
}

#[tokio::test]
async fn an_endpoint_without_schemas_is_asked_for_an_object_and_then_for_text() {
    let all = ask_twice(Abilities::default(), "{\"a\":1}").await;
    assert_eq!(formats(&all), ["json_schema", "json_schema"]);

    let without_schemas = Abilities { json_schema: false, ..Abilities::default() };
    let object = ask_twice(without_schemas, "{\"a\":1}").await;
    assert_eq!(formats(&object), ["json_schema", "json_object", "json_object"]);
    let asked = object.requests()[1].body["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(asked.starts_with('a') && asked.contains("\"additionalProperties\":false"), "{asked}");

    let plain = Abilities { json_object: false, ..without_schemas };
    let text = ask_twice(plain, "Here it is:\n```json\n{\"a\":1}\n```").await;
    let none = Value::Null;
    assert_eq!(formats(&text), ["json_schema".into(), "json_object".into(), none.clone(), none]);
}

/// A schema that one request has and the endpoint does not like says nothing about other requests.
#[tokio::test]
async fn a_refused_schema_is_not_remembered() {
    let server = ModelServer::with_key(KEY).answering(|body, number| {
        if number == 0 && body["response_format"]["type"] == "json_schema" {
            ModelReply::Refused("Invalid schema for response_format 'form'")
        } else {
            completion("{}")
        }
    });
    let model = model(settings(&server.url));
    model.ask(&request()).await.unwrap();
    model.ask(&request()).await.unwrap();
    assert_eq!(formats(&server), ["json_schema", "json_object", "json_schema"]);
}

#[tokio::test]
async fn refused_members_are_left_out_or_renamed() {
    let abilities = Abilities { max_tokens: false, temperature: false, ..Abilities::default() };
    let server = ask_twice(abilities, "{\"a\":1}").await;
    let asked = server.requests();
    assert_eq!(asked.len(), 4, "two refusals, then two answers");
    for request in &asked[2..] {
        assert_eq!(request.body["max_completion_tokens"], 99);
        assert!(request.body.get("max_tokens").is_none() && request.body.get("temperature").is_none());
    }
}

#[tokio::test]
async fn an_endpoint_that_cannot_stream_is_asked_for_a_whole_response() {
    let abilities = Abilities { stream: false, stream_options: false, ..Abilities::default() };
    let server = ask_twice(abilities, "{\"a\":1}").await;
    let streams: Vec<_> = server
        .requests()
        .iter()
        .map(|request| (request.body.get("stream").is_some(), request.body.get("stream_options").is_some()))
        .collect();
    assert_eq!(streams, [(true, true), (true, false), (false, false), (false, false)]);
}
