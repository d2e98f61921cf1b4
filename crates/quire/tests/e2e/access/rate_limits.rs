//! Rate limits.

use quire_domain::DocumentId;
use quire_testkit::documents::clinical_record;

use super::{upload, upload_text};
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

const LOW_LIMITS: [(&str, &str); 4] = [
    ("QUIRE_LIMITS_UPLOADS_PER_MINUTE", "2"),
    ("QUIRE_LIMITS_DOWNLOADS_PER_MINUTE", "3"),
    ("QUIRE_SERVER_TRUSTED_PROXIES", "127.0.0.0/8"),
    ("QUIRE_UPLOADS_PROCESSING", "false"),
];

on_both_stores! {
    /// Proves R078.
    too_many_requests_are_refused_with_a_time_to_retry with super::LOW_LIMITS,
    /// Proves R078 per client.
    each_client_has_its_own_limit_also_behind_a_proxy with super::LOW_LIMITS,
    files_bytes_and_drawings_are_counted with super::MANY_LIMITS,
    /// Proves R078 for the defaults: 10 uploads and 30 downloads on a public address, no limit on loopback.
    without_settings_only_a_public_address_has_limits with crate::access::NO_PROCESSING,
}

const MANY_LIMITS: [(&str, &str); 4] = [
    ("QUIRE_LIMITS_UPLOADS_PER_MINUTE", "4"),
    ("QUIRE_LIMITS_MEGABYTES_PER_MINUTE", "1"),
    ("QUIRE_LIMITS_DRAWINGS_PER_MINUTE", "2"),
    ("QUIRE_UPLOADS_PROCESSING", "false"),
];

async fn files_bytes_and_drawings_are_counted(env: &TestEnv) {
    let (scanner, reader) = (env.create_key("scanner", "operate"), env.create_key("reader", "read,export"));
    let server = env.cli.serve();
    let pdf = clinical_record(1);
    let files = (0..6).fold(Form::new(), |form, number| form.field("file", &format!("{number}.pdf"), &pdf));
    let sent = files.end().send_with(&server, "/documents/upload", &scanner);
    let receipts = sent.json()["files"].as_array().unwrap().clone();
    assert_eq!(
        (sent.status, receipts.len()),
        (207, 5),
        "the file after the limit is the last: {}",
        sent.body
    );
    assert!(receipts[..4].iter().all(|receipt| receipt["document_id"].is_string()), "{}", sent.body);
    assert_eq!(receipts[4]["error_code"], "RATE_LIMITED");

    let document = receipts[0]["document_id"].as_str().unwrap();
    let image = |scale: &str| {
        server.send(&format!("GET /documents/{document}/pages/1/image?scale={scale}"), &reader, "")
    };
    let drawn = [image("1"), image("1.5"), image("2")].map(|response| response.status);
    assert_eq!(drawn, [200, 200, 429], "drawings have their own limit");

    let large = "El paciente come bien y duerme toda la noche.\n".repeat(30_000);
    let other = env.create_key("other", "operate,read,export");
    let uploaded = upload_text(&server, &other, &large);
    assert_eq!(uploaded.status, 201, "{}", uploaded.body);
    for request in ["GET /documents/export?format=csv", &format!("GET /documents/{document}/download")] {
        let refused = server.request(request, &other);
        assert_eq!((refused.status, refused.error_code().as_str()), (429, "RATE_LIMITED"), "{request}");
        assert_eq!(server.send(request, &reader, "").status, 200, "{request}: others have their own limit");
    }
}

fn download(server: &TestServer, document: DocumentId, headers: &str) -> Response {
    server.request(&format!("GET /documents/{document}/download"), headers)
}

fn assert_refused(response: &Response, limit: &str) {
    assert_eq!((response.status, response.error_code().as_str()), (429, "RATE_LIMITED"), "{}", response.body);
    let wait: u64 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(response.header("x-ratelimit-limit"), Some(limit));
    assert_eq!(response.header("x-ratelimit-remaining"), Some("0"));
    assert!(response.header("x-ratelimit-reset").unwrap().parse::<u64>().unwrap() >= wait);
}

async fn too_many_requests_are_refused_with_a_time_to_retry(env: &TestEnv) {
    let server = env.cli.serve();
    let first = upload(&server, "");
    assert_eq!((first.status, first.header("x-ratelimit-remaining")), (201, Some("1")), "{}", first.body);
    assert_eq!(upload(&server, "").status, 201);
    assert_refused(&upload(&server, ""), "2");
    let large = "El paciente come bien y duerme toda la noche.\n".repeat(200_000);
    assert_refused(&upload_text(&server, "", &large), "2");
    let listed = env.store.documents.count(quire_ports::DocumentFilter::All, 10).await;
    assert_eq!(listed, Ok(2), "refused uploads are not stored");
    let document = first.document_id();
    for _ in 0..3 {
        assert_eq!(download(&server, document, "").status, 200, "downloads have their own limit");
    }
    assert_refused(&download(&server, document, ""), "3");
    let detail = server.request(&format!("GET /documents/{document}"), "");
    assert_eq!(
        (detail.status, detail.header("x-ratelimit-limit")),
        (200, None),
        "other requests have no limit"
    );
}

async fn each_client_has_its_own_limit_also_behind_a_proxy(env: &TestEnv) {
    let server = env.cli.serve();
    for client in ["198.51.100.1", "198.51.100.2", "9.9.9.9, 198.51.100.3"] {
        let head = format!("X-Forwarded-For: {client}\r\n");
        let statuses: Vec<_> = (0..3).map(|_| upload(&server, &head).status).collect();
        assert_eq!(statuses, [201, 201, 429], "{client}");
    }
    let known = upload(&server, "X-Forwarded-For: 7.7.7.7, 198.51.100.3\r\n");
    assert_eq!(known.status, 429, "an address that the client sends itself is not trusted");
    drop(server);
    let keys = [env.create_key("one", "operate"), env.create_key("two", "operate")];
    let server = env.cli.serve();
    for key in &keys {
        let statuses: Vec<_> = (0..3).map(|_| upload(&server, key).status).collect();
        assert_eq!(statuses, [201, 201, 429], "each key has its own limit");
    }
}

async fn without_settings_only_a_public_address_has_limits(env: &TestEnv) {
    let server = env.cli.serve();
    assert_eq!(upload(&server, "").header("x-ratelimit-limit"), None);
    drop(server);
    let key = env.create_key("scanner", "operate,read");
    let server = env.cli.serve_on("0.0.0.0:0");
    let uploaded = upload(&server, &key);
    assert_eq!(uploaded.header("x-ratelimit-limit"), Some("10"));
    let document = uploaded.document_id();
    let downloaded = download(&server, document, &key);
    assert_eq!((downloaded.status, downloaded.header("x-ratelimit-limit")), (200, Some("30")));
}
