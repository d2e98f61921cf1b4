//! Logging in on the pages: what a browser sends and gets, with the real program.

use super::{ask, upload};
use crate::http::{Answer, text};
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R077 for browsers, and what issue 6 asks of logins.
    a_key_opens_a_session_that_lasts_until_the_logout with crate::guarding::QUIET,
    what_was_not_sent_by_our_own_page_changes_nothing with crate::guarding::QUIET,
    a_session_ends_with_its_key_or_its_time_and_outlives_the_server with crate::guarding::QUIET,
    what_a_role_may_not_do_is_refused_to_its_session_too with crate::guarding::QUIET,
    the_token_of_the_settings_opens_a_session_that_ends_with_it with crate::guarding::QUIET,
}

const PAGE: &str = "Accept: text/html,application/xhtml+xml\r\n";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded\r\nAccept: text/html\r\n";

/// A browser in which somebody logged in.
struct Browser {
    cookie: String,
    csrf: String,
}

impl Browser {
    /// What its scripts send.
    fn script(&self) -> String {
        format!("{}X-CSRF-Token: {}\r\n", self.cookie, self.csrf)
    }
}

fn post(server: &Server, path: &str, head: &str, form: &str) -> Answer {
    server.send(&format!("POST {path}"), &format!("{FORM}{head}"), form).map(text)
}

fn login(server: &Server, head: &str, key: &str, next: &str) -> Answer {
    post(server, "/app/login", head, &format!("key={key}&next={next}"))
}

/// The cookie as a browser sends it back.
fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {}", answer.head));
    format!("Cookie: {}\r\n", set.split(';').next().unwrap())
}

fn browser(server: &Server, key: &str) -> Browser {
    let answer = login(server, "", key, "");
    assert_eq!(answer.status, 303, "{}", answer.body);
    let cookie = cookie(&answer);
    let page = ask(server, "GET /app", &format!("{cookie}{PAGE}"));
    assert_eq!(page.status, 200, "{}", page.body);
    let csrf = page.body.split("\"csrf\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    Browser { cookie, csrf: csrf.to_owned() }
}

fn secret(scene: &Scene, name: &str, roles: &str) -> String {
    let key = scene.key(name, roles);
    key.trim_end().rsplit(' ').next().unwrap().to_owned()
}

async fn a_key_opens_a_session_that_lasts_until_the_logout(scene: &Scene) {
    let server = scene.quire.serve();
    let open = ask(&server, "GET /app/login?next=%2Fapp%3Fq%3Da", PAGE);
    assert_eq!((open.status, open.header("location")), (303, Some("/app?q=a")), "nobody need log in");
    drop(server);
    let key = secret(scene, "alma", "review");
    let server = scene.quire.serve();
    let led = ask(&server, "GET /app?q=a%20b", PAGE);
    let to = led.header("location").unwrap();
    assert_eq!((led.status, to), (303, "/app/login?next=%2Fapp%3Fq%3Da%2520b"));
    let script = ask(&server, "GET /app", "Accept: text/vnd.quire.part\r\n");
    assert_eq!((script.status, script.code().as_str()), (401, "UNAUTHORIZED"), "scripts are told");
    let form = ask(&server, &format!("GET {to}"), PAGE);
    assert_eq!(form.status, 200);
    assert!(
        form.body.contains("type=\"password\"") && form.body.contains("value=\"/app?q=a%20b\""),
        "{}",
        form.body
    );
    assert!(!form.body.contains("frame.js"), "a page of nobody follows nothing");

    let unknown = format!("quire_{}_{}", "0".repeat(32), "1".repeat(64));
    // Its id is known, and its secret is another.
    let swapped = format!("{}{}", &key[..key.len() - 64], "2".repeat(64));
    let refusals = [unknown.as_str(), &swapped, "x", ""].map(|wrong| {
        let refused = login(&server, "", wrong, "%2Fapp");
        assert_eq!((refused.status, refused.header("set-cookie")), (401, None), "{wrong}");
        refused.body
    });
    assert!(refusals[0].contains("role=\"alert\"") && refusals.iter().all(|said| *said == refusals[0]));

    let entered = login(&server, "", &key, "%2Fapp%3Fq%3Da");
    assert_eq!((entered.status, entered.header("location")), (303, Some("/app?q=a")));
    let set = entered.header("set-cookie").unwrap();
    for attribute in ["; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=604800"] {
        assert!(set.contains(attribute), "{set}");
    }
    assert!(set.starts_with("quire_session=") && !set.contains("Secure") && !set.contains("Domain"), "{set}");
    let elsewhere = login(&server, "", &key, "%2F%2Fevil.example");
    assert_eq!(elsewhere.header("location"), Some("/app"), "no form leads elsewhere");

    let alma = browser(&server, &key);
    let page = ask(&server, "GET /app", &format!("{}{PAGE}", alma.cookie));
    assert!(page.body.contains("alma") && page.body.contains("/app/logout"), "{}", page.body);
    assert_eq!(ask(&server, "GET /documents", &alma.cookie).status, 200, "scripts ask the same as programs");
    let again = ask(&server, "GET /app/login?next=%2Fapp", &format!("{}{PAGE}", alma.cookie));
    assert_eq!((again.status, again.header("location")), (303, Some("/app")), "they are logged in");
    let renewed = cookie(&login(&server, &alma.cookie, &key, ""));
    assert_ne!(renewed, alma.cookie, "a login is always a new session");
    assert_eq!(ask(&server, "GET /documents", &alma.cookie).status, 401, "and the one before is over");

    let alma = browser(&server, &key);
    let wrong = post(&server, "/app/logout", &alma.cookie, "csrf=0");
    assert_eq!(wrong.status, 403, "nobody else logs them out");
    assert!(wrong.body.contains("<!doctype html>"), "people read it on a page: {}", wrong.body);
    let left = post(&server, "/app/logout", &alma.cookie, &format!("csrf={}", alma.csrf));
    assert_eq!((left.status, left.header("location")), (303, Some("/app/login")));
    assert!(left.header("set-cookie").unwrap().starts_with("quire_session=; Path=/; Max-Age=0"));
    assert_eq!(ask(&server, "GET /documents", &alma.cookie).status, 401);

    let stored = scene.sql.number("SELECT count(*) FROM sessions").await;
    assert_eq!(stored, 3, "those who neither left nor came back");
    let said = server.stop();
    assert!(said.err.contains("logged in") && said.err.contains("logged out"), "{}", said.err);
    assert!(said.err.contains("login refused") && said.err.contains("alma"), "{}", said.err);
    assert!(!said.err.contains(&key[40..]), "a secret is in no log");
}

async fn what_was_not_sent_by_our_own_page_changes_nothing(scene: &Scene) {
    let key = secret(scene, "alma", "admin");
    let server = scene.quire.serve();
    let alma = browser(&server, &key);
    let reason = |answer: &Answer| (answer.status, answer.json()["details"]["reason"].clone());
    for token in ["", "X-CSRF-Token: \r\n", "X-CSRF-Token: 0123\r\n"] {
        let refused = upload(&server, &format!("{}{token}", alma.cookie));
        assert_eq!(reason(&refused), (403, "CSRF_TOKEN".into()), "{token}");
    }
    let other = browser(&server, &key);
    let mixed = format!("{}X-CSRF-Token: {}\r\n", alma.cookie, other.csrf);
    assert_eq!(reason(&upload(&server, &mixed)), (403, "CSRF_TOKEN".into()), "it is another session's");
    for site in [
        "Origin: https://evil.example\r\n",
        "Origin: null\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Origin: http://localhost\r\nSec-Fetch-Site: same-site\r\n",
    ] {
        let refused = upload(&server, &format!("{}{site}", alma.script()));
        assert_eq!(reason(&refused), (403, "OTHER_SITE".into()), "{site}");
        let login = login(&server, site, &key, "");
        assert_eq!((login.status, login.header("set-cookie")), (403, None), "{site}");
        let logout =
            post(&server, "/app/logout", &format!("{}{site}", alma.cookie), &format!("csrf={}", alma.csrf));
        assert_eq!(logout.status, 403, "{site}");
    }
    assert!(scene.documents().await.is_empty());
    let own = "Origin: http://localhost\r\nSec-Fetch-Site: same-origin\r\n";
    assert_eq!(upload(&server, &format!("{}{own}", alma.script())).status, 201);
    let bearer = format!("{}Authorization: Bearer {key}\r\n", alma.cookie);
    assert_eq!(upload(&server, &bearer).status, 201, "a key says more than a cookie");
    let unknown = format!("{}Authorization: Bearer quire_x\r\n", alma.script());
    assert_eq!(ask(&server, "GET /documents", &unknown).status, 401, "also when it is wrong");
}

async fn a_session_ends_with_its_key_or_its_time_and_outlives_the_server(scene: &Scene) {
    let (alma, bruno) = (secret(scene, "alma", "read"), secret(scene, "bruno", "read"));
    let server = scene.quire.serve();
    let (alma, bruno) = (browser(&server, &alma), browser(&server, &bruno));
    drop(server);
    let server = scene.quire.serve();
    for browser in [&alma, &bruno] {
        assert_eq!(ask(&server, "GET /documents", &browser.cookie).status, 200, "after a restart");
    }
    let followed = server.begin(&format!(
        "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{}\r\n",
        alma.cookie
    ));
    let mut head = [0; 15];
    std::io::Read::read_exact(&mut &followed, &mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK", "what happens is told by the cookie, too");
    scene.quire.says(&["keys", "revoke", "alma"]);
    assert_eq!(ask(&server, "GET /documents", &alma.cookie).status, 401, "at once");
    assert_eq!(ask(&server, "GET /documents", &bruno.cookie).status, 200, "others go on");
    scene.sql.execute("UPDATE sessions SET expires_at = created_at").await.unwrap();
    assert_eq!(ask(&server, "GET /documents", &bruno.cookie).status, 401, "its time is over");
    let led = ask(&server, "GET /app", &format!("{}{PAGE}", bruno.cookie));
    assert_eq!((led.status, led.header("location")), (303, Some("/app/login?next=%2Fapp")));
}

async fn what_a_role_may_not_do_is_refused_to_its_session_too(scene: &Scene) {
    let (reader, scanner) = (secret(scene, "reader", "read"), secret(scene, "scanner", "operate"));
    let server = scene.quire.serve();
    let reader = browser(&server, &reader);
    let page = ask(&server, "GET /app", &format!("{}{PAGE}", reader.cookie));
    assert!(page.body.contains(r#""may":{"govern":false,"operate":false,"review":false}"#), "{}", page.body);
    for word in ["pending_review", "governance", "reviewer"] {
        assert!(!page.body.contains(word), "{word}");
    }
    let refused = upload(&server, &reader.script());
    assert_eq!((refused.status, refused.code().as_str()), (403, "FORBIDDEN"));
    assert_eq!(refused.json()["details"]["role"], "operate");

    let scanner = cookie(&login(&server, "", &scanner, ""));
    let refused = ask(&server, "GET /app", &format!("{scanner}{PAGE}"));
    assert_eq!(refused.status, 403, "bringing in is not looking at");
    assert!(
        refused.body.contains("<!doctype html>") && refused.body.contains("/app/logout"),
        "{}",
        refused.body
    );
}

async fn the_token_of_the_settings_opens_a_session_that_ends_with_it(scene: &Scene) {
    let serve = |token: &str| {
        let mut command = scene.quire.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("AUTH_TOKEN", token);
        crate::program::Server::ready(command)
    };
    let server = serve("a token of sixteen");
    let admin = browser(&server, "a+token+of+sixteen");
    assert_eq!(upload(&server, &admin.script()).status, 201);
    drop(server);
    let server = serve("another token of sixteen");
    assert_eq!(ask(&server, "GET /documents", &admin.cookie).status, 401, "the token is another");
    drop(server);
    let server = serve("a token of sixteen");
    assert_eq!(ask(&server, "GET /documents", &admin.cookie).status, 200);
}

/// Proves R078 for logins: whoever is wrong too often waits, and whoever is right does not.
#[test]
fn whoever_is_wrong_too_often_has_to_wait() {
    let scene = Scene::on_sqlite(&super::QUIET).with("QUIRE_SERVER_TRUSTED_PROXIES", "127.0.0.0/8");
    let key = secret(&scene, "alma", "read");
    let server = scene.quire.serve();
    for _ in 0..12 {
        assert_eq!(login(&server, "X-Forwarded-For: 192.0.2.1\r\n", &key, "").status, 303);
    }
    let wrong = |from: &str| login(&server, &format!("X-Forwarded-For: {from}\r\n"), "x", "");
    let answers: Vec<_> = (0..11).map(|_| wrong("192.0.2.2").status).collect();
    assert_eq!(answers, [vec![401; 10], vec![429]].concat());
    let held = login(&server, "X-Forwarded-For: 192.0.2.2\r\n", &key, "");
    assert_eq!(held.status, 429, "not even the right key is tried");
    assert!(held.header("retry-after").is_some() && held.body.contains("role=\"alert\""));
    assert_eq!(wrong("192.0.2.3").status, 401, "others are not held");
    let tls = "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n";
    let set = login(&server, tls, &key, "");
    assert!(set.header("set-cookie").unwrap().ends_with("; Secure"), "{:?}", set.header("set-cookie"));
}
