//! How often a client is answered.

use super::{Scene, ask, code, json, on_both_stores, upload, upload_text};
use crate::program::{Answer, Server};

const SMALL: [(&str, &str); 3] = [
    ("QUIRE_LIMITS_UPLOADS_PER_MINUTE", "2"),
    ("QUIRE_LIMITS_DOWNLOADS_PER_MINUTE", "3"),
    ("QUIRE_SERVER_TRUSTED_PROXIES", "127.0.0.0/8"),
];

on_both_stores! { super::SMALL =>
    whoever_uploads_too_often_is_told_when_to_come_again,
    each_client_has_its_own_limit_behind_a_proxy_too,
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
}

fn download(server: &Server, document: &str, head: &str) -> Answer {
    ask(server, &format!("GET /documents/{document}/download"), head)
}

fn assert_refused(answer: &Answer, limit: &str) {
    assert_eq!((answer.status, code(answer).as_str()), (429, "RATE_LIMITED"), "{}", answer.body);
    let wait: u64 = header(answer, "retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(header(answer, "x-ratelimit-limit"), Some(limit));
    assert_eq!(header(answer, "x-ratelimit-remaining"), Some("0"));
    assert!(header(answer, "x-ratelimit-reset").unwrap().parse::<u64>().unwrap() >= wait);
}

/// Proves R078.
async fn whoever_uploads_too_often_is_told_when_to_come_again(scene: &Scene) {
    let server = scene.quire.serve();
    let first = upload(&server, "");
    assert_eq!((first.status, header(&first, "x-ratelimit-remaining")), (201, Some("1")), "{}", first.body);
    assert_eq!(upload(&server, "").status, 201);
    assert_refused(&upload(&server, ""), "2");
    let large = "El paciente come bien y duerme toda la noche.\n".repeat(200_000);
    assert_refused(&upload_text(&server, "", &large), "2");
    let listed = scene.store.documents.count(quire_ports::DocumentsOf::All, 10).await;
    assert_eq!(listed, Ok(2), "what was refused was not taken");
    let document = json(&first)["document_id"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        assert_eq!(download(&server, &document, "").status, 200, "downloads have a limit of their own");
    }
    assert_refused(&download(&server, &document, ""), "3");
    let detail = ask(&server, &format!("GET /documents/{document}"), "");
    assert_eq!((detail.status, header(&detail, "x-ratelimit-limit")), (200, None), "the rest has none");
}

/// Proves R078 per client.
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

/// Proves R078 for the defaults: beyond this machine 10 uploads and 30 downloads, on it as many as anybody likes.
#[tokio::test(flavor = "multi_thread")]
async fn without_settings_only_other_machines_are_held_back() {
    let scene = Scene::sqlite(&[]);
    let server = scene.quire.serve();
    assert_eq!(header(&upload(&server, ""), "x-ratelimit-limit"), None);
    drop(server);
    let key = scene.key("scanner", "operate,read");
    let server = scene.quire.serve_on("0.0.0.0:0");
    let uploaded = upload(&server, &key);
    assert_eq!(header(&uploaded, "x-ratelimit-limit"), Some("10"));
    let document = json(&uploaded)["document_id"].as_str().unwrap().to_owned();
    let downloaded = download(&server, &document, &key);
    assert_eq!((downloaded.status, header(&downloaded, "x-ratelimit-limit")), (200, Some("30")));
}
