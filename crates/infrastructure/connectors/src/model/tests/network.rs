//! TLS, private authorities and proxies.

use quire_testkit::ConnectProxy;

use super::*;

fn model_with(options: &HttpOptions, url: &str) -> RemoteModel {
    let settings = ModelSettings { allow_http: true, ..settings(url) };
    RemoteModel::new(HttpClient::new(options).unwrap(), settings, call_log(Arc::default())).unwrap()
}

/// A server without TLS behind an https URL gets no unencrypted request.
#[tokio::test]
async fn an_https_url_is_used_with_tls_only() {
    let server = ModelServer::start(KEY, vec![completion("{}")]);
    let error =
        model(settings(&server.url.replace("http://", "https://"))).ask(&request()).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_certificate_of_a_private_authority_is_trusted_only_if_it_is_configured() {
    let server = ModelServer::with_key(KEY).tls().replying(vec![completion("{}")]);
    let untrusted = model(settings(&server.url)).ask(&request()).await.unwrap_err();
    assert_eq!(untrusted.kind, ModelErrorKind::Unavailable);
    assert!(server.requests().is_empty());
    let options = HttpOptions { ca_file: Some(server.ca_file()), proxy: None };
    assert_eq!(model_with(&options, &server.url).ask(&request()).await.unwrap().text, "{}");
}

#[tokio::test]
async fn other_hosts_are_reached_through_the_proxy_and_this_machine_is_not() {
    let server = ModelServer::start(KEY, vec![completion("{}")]);
    let local = server.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let proxy = ConnectProxy::start(&local);
    let options =
        HttpOptions { proxy: Some(proxy.url.replace("http://", "http://user:pa%40ss@")), ca_file: None };
    model_with(&options, "http://models.example:8000/v1").ask(&request()).await.unwrap();
    let heads = proxy.heads();
    assert_eq!(heads.len(), 1);
    assert!(heads[0].starts_with("CONNECT models.example:8000 HTTP/1.1"), "{}", heads[0]);
    // user:pa@ss
    assert!(heads[0].to_lowercase().contains("proxy-authorization: basic "), "{}", heads[0]);
    assert!(heads[0].contains("dXNlcjpwYUBzcw=="), "{}", heads[0]);
    assert!(!heads[0].contains(KEY), "the proxy does not see the key");
    assert_eq!(server.requests()[0].header("host"), Some("models.example:8000"));

    model_with(&options, &server.url).ask(&request()).await.unwrap();
    assert_eq!(proxy.heads().len(), 1, "this machine is reached directly");
}
