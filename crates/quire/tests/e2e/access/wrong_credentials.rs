//! Guessing keys, tokens, logins and sessions.

use crate::http::text;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    wrong_credentials_of_every_kind_share_one_limit with crate::access::NO_PROCESSING,
    refused_requests_are_counted_by_reason with crate::access::NO_PROCESSING,
}

fn from(address: &str) -> String {
    format!("X-Forwarded-For: {address}\r\n")
}

async fn wrong_credentials_of_every_kind_share_one_limit(env: &TestEnv) {
    let key = env.create_key("reader", "read");
    let mut command = env.cli.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("QUIRE_SERVER_TRUSTED_PROXIES", "127.0.0.0/8");
    let server = crate::program::TestServer::ready(command);
    let guesser = from("192.0.2.1");
    let bearer = |number: usize| format!("{guesser}Authorization: Bearer guess-{number}\r\n");
    let session = |number: usize| format!("{guesser}Cookie: quire_session={number:064x}\r\n");
    let mut statuses = Vec::new();
    for number in 0..4 {
        statuses.push(server.request("GET /documents", &bearer(number)).status);
        statuses.push(server.request("GET /documents", &session(number)).status);
        let form = format!("{guesser}Content-Type: application/x-www-form-urlencoded\r\n");
        statuses.push(server.send("POST /app/login", &form, &format!("key=guess-{number}")).map(text).status);
    }
    assert_eq!(statuses, [vec![401; 10], vec![429; 2]].concat());
    let refused = server.request("GET /documents", &bearer(2000));
    assert_eq!((refused.status, refused.error_code().as_str()), (429, "RATE_LIMITED"));
    assert!(refused.header("retry-after").is_some());
    assert_eq!(
        server.request("GET /documents", &format!("{guesser}{key}")).status,
        429,
        "also the right key"
    );
    assert_eq!(
        server.request("GET /documents", &guesser).status,
        401,
        "without a credential nothing is guessed"
    );
    let office = from("192.0.2.2");
    assert_eq!(server.request("GET /documents", &format!("{office}{key}")).status, 200);
    for number in 0..12 {
        let wrong = format!("{office}Authorization: Bearer guess-{number}\r\n");
        server.request("GET /documents", &wrong);
    }
    assert_eq!(
        server.request("GET /documents", &format!("{office}{key}")).status,
        200,
        "a key that worked here before goes on working"
    );
    let log = server.stop().stderr;
    let lines: Vec<_> = log.lines().filter(|line| line.contains("credential refused")).collect();
    assert_eq!(lines.len(), 20, "{log}");
    assert!(lines.iter().all(|line| line.contains("192.0.2.") && !line.contains("guess-")), "{log}");
}

async fn refused_requests_are_counted_by_reason(env: &TestEnv) {
    let key = env.create_key("reader", "read");
    let revoked = env.create_key("former", "read");
    env.cli.run_ok(&["keys", "revoke", "former"]);
    let server = env.cli.serve();
    for (request, headers, status) in [
        ("GET /documents", "", 401),
        ("GET /documents", "Authorization: Bearer guess\r\n", 401),
        ("GET /documents", revoked.as_str(), 401),
        ("POST /documents", key.as_str(), 403),
        ("POST /app/logout", "Sec-Fetch-Site: cross-site\r\n", 403),
    ] {
        assert_eq!(server.request(request, headers).status, status, "{request} {headers}");
    }
    let metrics = server.request("GET /metrics", &key).body;
    for (status, reason, count) in [
        ("401", "no_credential", 1),
        ("401", "unknown_key", 1),
        ("401", "revoked_key", 1),
        ("401", "session_ended", 0),
        ("403", "role", 1),
        ("403", "other_site", 1),
        ("429", "wrong_credentials", 0),
    ] {
        let line =
            format!("quire_requests_refused_total{{status=\"{status}\",reason=\"{reason}\"}} {count}\n");
        assert!(metrics.contains(&line), "{line}{metrics}");
    }
}
