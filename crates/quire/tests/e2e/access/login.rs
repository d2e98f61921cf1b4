//! Login, sessions and CSRF protection of the pages.

use super::upload;
use crate::http::{Response, text};
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R077 for browsers.
    a_key_opens_a_session_that_lasts_until_logout with crate::access::NO_PROCESSING,
    requests_of_other_sites_change_nothing with crate::access::NO_PROCESSING,
    a_session_survives_a_restart_and_ends_when_its_key_is_revoked_or_it_expires with crate::access::NO_PROCESSING,
    a_session_may_do_what_the_roles_of_its_key_allow with crate::access::NO_PROCESSING,
    the_auth_token_opens_a_session_that_ends_when_the_token_changes with crate::access::NO_PROCESSING,
}

const TOKEN: &str = "4f1c0a9be27d5863f0b1c2d3e4a59687";
const PAGE: &str = "Accept: text/html,application/xhtml+xml\r\n";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded\r\nAccept: text/html\r\n";

/// The cookie and CSRF token of a browser that is logged in.
struct Browser {
    cookie: String,
    csrf: String,
}

impl Browser {
    /// The headers that its scripts send.
    fn script_headers(&self) -> String {
        format!("{}X-CSRF-Token: {}\r\n", self.cookie, self.csrf)
    }
}

fn post(server: &TestServer, path: &str, head: &str, form: &str) -> Response {
    server.send(&format!("POST {path}"), &format!("{FORM}{head}"), form).map(text)
}

pub(super) fn login(server: &TestServer, head: &str, key: &str, next: &str) -> Response {
    post(server, "/app/login", head, &format!("key={key}&next={next}"))
}

/// The cookie as a browser sends it back.
pub(super) fn cookie(response: &Response) -> String {
    let set = response.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {}", response.head));
    format!("Cookie: {}\r\n", set.split(';').next().unwrap())
}

fn log_in(server: &TestServer, key: &str) -> Browser {
    let response = login(server, "", key, "");
    assert_eq!(response.status, 303, "{}", response.body);
    let cookie = cookie(&response);
    let page = server.request("GET /app", &format!("{cookie}{PAGE}"));
    assert_eq!(page.status, 200, "{}", page.body);
    let csrf = page.body.split("\"csrf\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    Browser { cookie, csrf: csrf.to_owned() }
}

fn create_key(env: &TestEnv, name: &str, roles: &str) -> String {
    let key = env.create_key(name, roles);
    key.trim_end().rsplit(' ').next().unwrap().to_owned()
}

async fn a_key_opens_a_session_that_lasts_until_logout(env: &TestEnv) {
    let server = env.cli.serve();
    let open = server.request("GET /app/login?next=%2Fapp%3Fq%3Da", PAGE);
    assert_eq!(
        (open.status, open.header("location")),
        (303, Some("/app?q=a")),
        "no login is needed without keys"
    );
    drop(server);
    let key = create_key(env, "alma", "review");
    let server = env.cli.serve();
    let redirected = server.request("GET /app?q=a%20b", PAGE);
    let to = redirected.header("location").unwrap();
    assert_eq!((redirected.status, to), (303, "/app/login?next=%2Fapp%3Fq%3Da%2520b"));
    let script = server.request("GET /app", "Accept: text/vnd.quire.part\r\n");
    assert_eq!(
        (script.status, script.error_code().as_str()),
        (401, "UNAUTHORIZED"),
        "scripts get an error instead of a redirect"
    );
    let form = server.request(&format!("GET {to}"), PAGE);
    assert_eq!(form.status, 200);
    assert!(
        form.body.contains("type=\"password\"") && form.body.contains("value=\"/app?q=a%20b\""),
        "{}",
        form.body
    );
    assert!(!form.body.contains("frame.js"), "the login page follows no events");

    let unknown = format!("quire_{}_{}", "0".repeat(32), "1".repeat(64));
    // A known id with another secret.
    let swapped = format!("{}{}", &key[..key.len() - 64], "2".repeat(64));
    let refusals = [unknown.as_str(), &swapped, "x", ""].map(|wrong| {
        let refused = login(&server, "", wrong, "%2Fapp");
        assert_eq!((refused.status, refused.header("set-cookie")), (401, None), "{wrong}");
        refused.body
    });
    assert!(refusals[0].contains("role=\"alert\"") && refusals.iter().all(|body| *body == refusals[0]));

    let entered = login(&server, "", &key, "%2Fapp%3Fq%3Da");
    assert_eq!((entered.status, entered.header("location")), (303, Some("/app?q=a")));
    let set = entered.header("set-cookie").unwrap();
    for attribute in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=604800"] {
        assert!(set.contains(attribute), "{set}");
    }
    assert!(set.starts_with("quire_session=") && !set.contains("Secure") && !set.contains("Domain"), "{set}");
    let other_site = login(&server, "", &key, "%2F%2Fevil.example");
    assert_eq!(other_site.header("location"), Some("/app"), "a login never redirects to another site");

    let alma = log_in(&server, &key);
    let page = server.request("GET /app", &format!("{}{PAGE}", alma.cookie));
    assert!(page.body.contains("alma") && page.body.contains("/app/logout"), "{}", page.body);
    assert_eq!(
        server.request("GET /documents", &alma.cookie).status,
        200,
        "scripts use the API with the session"
    );
    let again = server.request("GET /app/login?next=%2Fapp", &format!("{}{PAGE}", alma.cookie));
    assert_eq!((again.status, again.header("location")), (303, Some("/app")), "already logged in");
    let renewed = cookie(&login(&server, &alma.cookie, &key, ""));
    assert_ne!(renewed, alma.cookie, "every login starts a new session");
    assert_eq!(server.request("GET /documents", &alma.cookie).status, 401, "and ends the previous one");

    let alma = log_in(&server, &key);
    let wrong = post(&server, "/app/logout", &alma.cookie, "csrf=0");
    assert_eq!(wrong.status, 403, "a logout needs the CSRF token");
    assert!(wrong.body.contains("<!doctype html>"), "a browser gets a page: {}", wrong.body);
    let left = post(&server, "/app/logout", &alma.cookie, &format!("csrf={}", alma.csrf));
    assert_eq!((left.status, left.header("location")), (303, Some("/app/login")));
    assert!(left.header("set-cookie").unwrap().starts_with("quire_session=; Path=/; Max-Age=0"));
    assert_eq!(server.request("GET /documents", &alma.cookie).status, 401);

    let stored = env.sql.number("SELECT count(*) FROM sessions").await;
    assert_eq!(stored, 3, "sessions without logout or new login");
    let output = server.stop();
    assert!(output.stderr.contains("logged in") && output.stderr.contains("logged out"), "{}", output.stderr);
    assert!(
        output.stderr.contains("credential refused") && output.stderr.contains("alma"),
        "{}",
        output.stderr
    );
    assert!(!output.stderr.contains(&key[40..]), "the key is in the log");
}

async fn requests_of_other_sites_change_nothing(env: &TestEnv) {
    let key = create_key(env, "alma", "admin");
    let server = env.cli.serve();
    let alma = log_in(&server, &key);
    let reason = |response: &Response| (response.status, response.json()["details"]["reason"].clone());
    for token in ["", "X-CSRF-Token: \r\n", "X-CSRF-Token: 0123\r\n"] {
        let refused = upload(&server, &format!("{}{token}", alma.cookie));
        assert_eq!(reason(&refused), (403, "CSRF_TOKEN".into()), "{token}");
    }
    let other = log_in(&server, &key);
    let mixed = format!("{}X-CSRF-Token: {}\r\n", alma.cookie, other.csrf);
    assert_eq!(
        reason(&upload(&server, &mixed)),
        (403, "CSRF_TOKEN".into()),
        "the token belongs to another session"
    );
    for site in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Origin: http://localhost\r\nSec-Fetch-Site: same-site\r\n",
    ] {
        let refused = upload(&server, &format!("{}{site}", alma.script_headers()));
        assert_eq!(reason(&refused), (403, "OTHER_SITE".into()), "{site}");
        let login = login(&server, site, &key, "");
        assert_eq!((login.status, login.header("set-cookie")), (403, None), "{site}");
        let logout =
            post(&server, "/app/logout", &format!("{}{site}", alma.cookie), &format!("csrf={}", alma.csrf));
        assert_eq!(logout.status, 403, "{site}");
    }
    assert!(env.documents().await.is_empty());
    let same_origin = "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n";
    assert_eq!(upload(&server, &format!("{}{same_origin}", alma.script_headers())).status, 201);
    let bearer = format!("{}Authorization: Bearer {key}\r\n", alma.cookie);
    assert_eq!(upload(&server, &bearer).status, 201, "an Authorization header is used instead of the cookie");
    let unknown = format!("{}Authorization: Bearer quire_x\r\n", alma.script_headers());
    assert_eq!(server.request("GET /documents", &unknown).status, 401, "also if it is wrong");
}

async fn a_session_survives_a_restart_and_ends_when_its_key_is_revoked_or_it_expires(env: &TestEnv) {
    let (alma, bruno) = (create_key(env, "alma", "read"), create_key(env, "bruno", "read"));
    let server = env.cli.serve();
    let (alma, bruno) = (log_in(&server, &alma), log_in(&server, &bruno));
    drop(server);
    let server = env.cli.serve();
    for browser in [&alma, &bruno] {
        assert_eq!(server.request("GET /documents", &browser.cookie).status, 200, "after a restart");
    }
    let stream = server.begin_request(&format!(
        "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{}\r\n",
        alma.cookie
    ));
    let mut head = [0; 15];
    std::io::Read::read_exact(&mut &stream, &mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK", "events accept the session, too");
    env.cli.run_ok(&["keys", "revoke", "alma"]);
    assert_eq!(server.request("GET /documents", &alma.cookie).status, 401, "at once");
    assert_eq!(server.request("GET /documents", &bruno.cookie).status, 200, "other sessions stay");
    env.sql.execute("UPDATE sessions SET expires_at = created_at").await.unwrap();
    assert_eq!(server.request("GET /documents", &bruno.cookie).status, 401, "expired");
    let redirected = server.request("GET /app", &format!("{}{PAGE}", bruno.cookie));
    assert_eq!((redirected.status, redirected.header("location")), (303, Some("/app/login?next=%2Fapp")));
}

async fn a_session_may_do_what_the_roles_of_its_key_allow(env: &TestEnv) {
    let (reader, scanner) = (create_key(env, "reader", "read"), create_key(env, "scanner", "operate"));
    let server = env.cli.serve();
    let reader = log_in(&server, &reader);
    let page = server.request("GET /app", &format!("{}{PAGE}", reader.cookie));
    assert!(page.body.contains(r#""may":{"govern":false,"operate":false,"review":false}"#), "{}", page.body);
    for word in ["pending_review", "governance", "reviewer"] {
        assert!(!page.body.contains(word), "{word}");
    }
    let refused = upload(&server, &reader.script_headers());
    assert_eq!((refused.status, refused.error_code().as_str()), (403, "FORBIDDEN"));
    assert_eq!(refused.json()["details"]["role"], "operate");

    let scanner = cookie(&login(&server, "", &scanner, ""));
    let refused = server.request("GET /app", &format!("{scanner}{PAGE}"));
    assert_eq!(refused.status, 403, "the role operate may not read");
    assert!(
        refused.body.contains("<!doctype html>") && refused.body.contains("/app/logout"),
        "{}",
        refused.body
    );
}

async fn the_auth_token_opens_a_session_that_ends_when_the_token_changes(env: &TestEnv) {
    let serve = |token: &str| {
        let mut command = env.cli.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("AUTH_TOKEN", token);
        crate::program::TestServer::ready(command)
    };
    let server = serve(TOKEN);
    let admin = log_in(&server, TOKEN);
    assert_eq!(upload(&server, &admin.script_headers()).status, 201);
    drop(server);
    let server = serve("687955f6a4e3d2c1b0f8365d72eb9a0c1");
    assert_eq!(server.request("GET /documents", &admin.cookie).status, 401, "the token has changed");
    drop(server);
    let server = serve(TOKEN);
    assert_eq!(server.request("GET /documents", &admin.cookie).status, 200);
}

/// Proves R078 for logins: failed logins are limited, successful ones are not.
#[test]
fn too_many_failed_logins_are_refused_for_a_while() {
    let env = TestEnv::on_sqlite(&super::NO_PROCESSING).with("QUIRE_SERVER_TRUSTED_PROXIES", "127.0.0.0/8");
    let key = create_key(&env, "alma", "read");
    let server = env.cli.serve();
    for _ in 0..12 {
        assert_eq!(login(&server, "X-Forwarded-For: 192.0.2.1\r\n", &key, "").status, 303);
    }
    let wrong = |from: &str| login(&server, &format!("X-Forwarded-For: {from}\r\n"), "x", "");
    let responses: Vec<_> = (0..11).map(|_| wrong("192.0.2.2").status).collect();
    assert_eq!(responses, [vec![401; 10], vec![429]].concat());
    let limited = login(&server, "X-Forwarded-For: 192.0.2.2\r\n", &key, "");
    assert_eq!(limited.status, 429, "also with the right key");
    assert!(limited.header("retry-after").is_some() && limited.body.contains("role=\"alert\""));
    assert_eq!(wrong("192.0.2.3").status, 401, "other clients are not limited");
    let tls = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n";
    let set = login(&server, tls, &key, "");
    assert!(set.header("set-cookie").unwrap().ends_with("; Secure"), "{:?}", set.header("set-cookie"));
}
