//! The addresses and headers of different endpoints, and their settings.

use super::*;

fn address(url: &str) -> Result<String, ModelSettingsError> {
    settings(url).address("any").map(|address| address.to_string())
}

#[test]
fn the_url_must_be_http_and_the_key_printable_ascii() {
    for good in ["http://localhost:11434/v1", "http://localhost:11434/v1/"] {
        assert_eq!(address(good), Ok("http://localhost:11434/v1/chat/completions".to_owned()));
    }
    // OpenAI, OpenRouter, Ollama, vLLM, llama.cpp.
    for good in [
        "https://api.openai.com/v1",
        "https://openrouter.ai/api/v1",
        "http://127.0.0.1:11434/v1",
        "http://localhost:8000/v1",
        "http://[::1]:8080/v1",
        "https://example.org",
    ] {
        assert!(address(good).is_ok(), "{good}");
    }
    for bad in ["", "localhost", "ftp://x/v1", "http://", "http://x/v1?a=b", "file:///etc"] {
        assert_eq!(address(bad), Err(ModelSettingsError::Url), "{bad}");
    }
    for bad in ["a\nb", "a b", "clé"] {
        let keyed = ModelSettings { api_key: Some(bad.to_owned()), ..settings("https://x") };
        assert_eq!(keyed.check().err(), Some(ModelSettingsError::ApiKey), "{bad}");
    }
}

#[test]
fn an_endpoint_is_named_by_its_host_and_port() {
    for (url, name) in [
        ("https://api.openai.com/v1", "api.openai.com"),
        ("http://localhost:11434/v1", "localhost-11434"),
        ("http://[::1]:8080/v1", "--1-8080"),
    ] {
        assert_eq!(settings(url).endpoint_name().as_deref(), Ok(name));
    }
    let long = format!("https://{}.example/v1", "a".repeat(200));
    let name = settings(&long).endpoint_name().unwrap();
    assert!(quire_domain::LaneName::model(&name).is_ok(), "{name}");
}

/// Documents contain personal data, which must not travel in the clear.
#[test]
fn plain_http_beyond_this_machine_is_refused_unless_it_is_allowed() {
    for url in
        ["http://models.example/v1", "http://10.0.0.7:8000/v1", "http://localhost.example/v1", "HTTP://x"]
    {
        assert_eq!(address(url), Err(ModelSettingsError::PlainHttp), "{url}");
        assert!(ModelSettings { allow_http: true, ..settings(url) }.address("any").is_ok(), "{url}");
    }
    for url in
        ["https://models.example/v1", "http://localhost:11434/v1", "http://127.8.0.1", "http://[::1]:80/v1"]
    {
        assert!(address(url).is_ok(), "{url}");
    }
}

#[tokio::test]
async fn azure_gets_its_version_its_key_and_the_deployment_of_each_model() {
    let server = ModelServer::with_key(KEY)
        .azure("/openai/deployments/gpt-5", "2024-10-21")
        .replying(vec![completion("{}")]);
    let azure = |version: &str| ModelSettings {
        url: server.url.replace("gpt-5", "{model}"),
        name: "gpt-5".to_owned(),
        api_version: Some(version.to_owned()),
        ..settings("")
    };
    model(azure("2024-10-21")).ask(&request()).await.unwrap();
    let asked = server.requests().remove(0);
    assert_eq!((asked.header("api-key"), asked.header("authorization")), (Some(KEY), None));
    let bad = azure("2024&x=y").check().err();
    assert_eq!(bad, Some(ModelSettingsError::ApiVersion));
}

#[tokio::test]
async fn further_headers_are_sent_and_none_of_our_own_can_be_replaced() {
    let server = ModelServer::start(KEY, vec![completion("{}")]);
    let with = |headers: &str| ModelSettings { headers: headers.to_owned(), ..settings(&server.url) };
    model(with("HTTP-Referer: https://example.org/a; X-Title: Quire;")).ask(&request()).await.unwrap();
    let asked = server.requests().remove(0);
    assert_eq!(asked.header("http-referer"), Some("https://example.org/a"));
    assert_eq!(asked.header("x-title"), Some("Quire"));
    for bad in ["X-Title", "a b: c", "X: \u{7f}", "Authorization: Bearer x", "api-key: x", "Host: x"] {
        assert_eq!(with(bad).check().err(), Some(ModelSettingsError::Headers), "{bad}");
    }
}
