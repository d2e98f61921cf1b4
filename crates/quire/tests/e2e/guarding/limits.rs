//! How often a client is answered.

use quire_domain::DocumentId;

use super::{ask, upload, upload_text};
use crate::http::Answer;
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};

const SMALL: [(&str, &str); 4] = [
    ("QUIRE_LIMITS_UPLOADS_PER_MINUTE", "2"),
    ("QUIRE_LIMITS_DOWNLOADS_PER_MINUTE", "3"),
    ("QUIRE_SERVER_TRUSTED_PROXIES", "127.0.0.0/8"),
    ("QUIRE_UPLOADS_PROCESSING", "false"),
];

on_both_stores! {
    /// Proves R078.
    whoever_uploads_too_often_is_told_when_to_come_again with super::SMALL,
    /// Proves R078 per client.
    each_client_has_its_own_limit_behind_a_proxy_too with super::SMALL,
    /// Proves R078 for the defaults: beyond this machine 10 uploads and 30 downloads, on it as many as anybody likes.
    without_settings_only_other_machines_are_held_back with crate::guarding::QUIET,
}

fn download(server: &Server, document: DocumentId, head: &str) -> Answer {
    ask(server, &format!("GET /documents/{document}/download"), head)
}

fn assert_refused(answer: &Answer, limit: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (429, "RATE_LIMITED"), "{}", answer.body);
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(answer.header("x-ratelimit-limit"), Some(limit));
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    assert!(answer.header("x-ratelimit-reset").unwrap().parse::<u64>().unwrap() >= wait);
}

async fn whoever_uploads_too_often_is_told_when_to_come_again(scene: &Scene) {
    let server = scene.quire.serve();
    let first = upload(&server, "");
    assert_eq!((first.status, first.header("x-ratelimit-remaining")), (201, Some("1")), "{}", first.body);
    assert_eq!(upload(&server, "").status, 201);
    assert_refused(&upload(&server, ""), "2");
    let large = "El paciente come bien y duerme toda la noche.\n".repeat(200_000);
    assert_refused(&upload_text(&server, "", &large), "2");
    let listed = scene.store.documents.count(quire_ports::DocumentFilter::All, 10).await;
    assert_eq!(listed, Ok(2), "what was refused was not taken");
    let document = first.document();
    for _ in 0..3 {
        assert_eq!(download(&server, document, "").status, 200, "downloads have a limit of their own");
    }
    assert_refused(&download(&server, document, ""), "3");
    let detail = ask(&server, &format!("GET /documents/{document}"), "");
    assert_eq!((detail.status, detail.header("x-ratelimit-limit")), (200, None), "the rest has none");
}

async fn each_client_has_its_own_limit_behind_a_proxy_too(scene: &Scene) {
    let server = scene.quire.serve();
    for client in ["198.51.100.1", "198.51.100.2", "9.9.9.9, 198.51.100.3"] {
        let head = format!("X-Forwarded-For: {client}\r\n");
        let statuses: Vec<_> = (0..3).map(|_| upload(&server, &head).status).collect();
        assert_eq!(statuses, [201, 201, 429], "{client}");
    }
    let known = upload(&server, "X-Forwarded-For: 7.7.7.7, 198.51.100.3\r\n");
    assert_eq!(known.status, 429, "what a client says of itself is not believed");
    drop(server);
    let keys = [scene.key("one", "operate"), scene.key("two", "operate")];
    let server = scene.quire.serve();
    for key in &keys {
        let statuses: Vec<_> = (0..3).map(|_| upload(&server, key).status).collect();
        assert_eq!(statuses, [201, 201, 429], "a key is a client, wherever it comes from");
    }
}

async fn without_settings_only_other_machines_are_held_back(scene: &Scene) {
    let server = scene.quire.serve();
    assert_eq!(upload(&server, "").header("x-ratelimit-limit"), None);
    drop(server);
    let key = scene.key("scanner", "operate,read");
    let server = scene.quire.serve_on("0.0.0.0:0");
    let uploaded = upload(&server, &key);
    assert_eq!(uploaded.header("x-ratelimit-limit"), Some("10"));
    let document = uploaded.document();
    let downloaded = download(&server, document, &key);
    assert_eq!((downloaded.status, downloaded.header("x-ratelimit-limit")), (200, Some("30")));
}
