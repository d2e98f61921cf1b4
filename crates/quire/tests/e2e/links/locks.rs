//! Locks on a real Redis server that is stopped, restarted, silent, full and wrong about its password.

use jiff::Timestamp;
use quire_application::link::{LinkInput, LinkRequest, source_of};
use quire_domain::link::SummaryLanguage;
use quire_domain::{NewRun, Pipeline, Priority, SubjectId};
use quire_testkit::RedisServer;
use quire_testkit::fixture::new_run;
use serde_json::json;

use super::{ended, send, site};
use crate::program::{TestServer, error_of};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R172, R186 for skips: a request that is locked elsewhere is left alone until its lock is free.
    a_request_that_is_locked_elsewhere_waits_and_is_then_summarised_once,
    /// Proves R175, R186 for errors of Redis, R211, R212 for a start without Redis: and the metric stays up until Redis is back.
    a_request_is_summarised_once_while_redis_is_away,
    /// Proves R176, R212.
    a_lock_that_is_required_fails_the_request_and_the_start,
    /// Proves R196: Redis is killed while a worker reads the page.
    losing_redis_in_the_middle_of_a_request_leaves_one_summary,
    /// Proves R175: a wrong password, a full and a silent server.
    a_server_that_misbehaves_costs_no_request,
    /// Proves R185.
    without_redis_locks_only_the_lock_of_the_process_is_used,
}

fn use_redis(env: &TestEnv, url: &str) {
    let file = std::fs::read_to_string(env.cli.path("quire.toml")).unwrap();
    let redis = format!("[redis]\nurl = \"{url}\"\nsocket_timeout = \"500ms\"\n");
    env.cli.write("quire.toml", &format!("{file}{redis}"));
}

/// The environment with Redis.
fn with_redis(env: &TestEnv) -> std::process::Command {
    let mut command = env.cli.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("QUIRE_REDIS_ENABLED", "true");
    command
}

/// The value of a metric with these labels.
fn metric(server: &TestServer, name: &str) -> f64 {
    let metrics = server.get("/metrics").body;
    let value = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
    value.unwrap_or_else(|| panic!("{name} is not in {metrics}"))
}

async fn a_request_that_is_locked_elsewhere_waits_and_is_then_summarised_once(env: &TestEnv) {
    let (site, redis) = (site(env), RedisServer::start());
    use_redis(env, &redis.url());
    site.hold();
    let mut server = TestServer::ready(with_redis(env));
    let first = send(&server, &site.url("/umbrellas"));
    site.wait_for_requests("/umbrellas", 1);
    let key = format!("bsr:bg:req:{first}");
    let value = redis.get(&key).unwrap();
    assert!(value.contains("fence="), "{value}");
    site.release();
    let detail = ended(env, &server, first).await;
    assert_eq!(detail["request"]["status"], "success");
    assert_eq!(redis.get(&key), None, "the lock is released");
    // Another program has set the key of the next request.
    let new = new_run(Pipeline::Link, SubjectId::new(), Priority::Normal);
    let key = format!("bsr:bg:req:{}", new.id);
    redis.command(&["SET", &key, "worker-17", "PX", "60000"]);
    site.set_article("/other", "Other", super::ARTICLE);
    create(env, &new, &site.url("/other")).await;
    server.wait_for_log("bg_lock_held_skip");
    assert_eq!(site.requests("/other"), 0);
    redis.command(&["DEL", &key]);
    assert_eq!(ended(env, &server, new.id).await["request"]["status"], "success");
    assert_eq!(site.requests("/other"), 1);
    assert!(metric(&server, "quire_lock_skips_total{source=\"redis\"}") >= 1.0);
    assert_eq!(env.sql.number("SELECT count(*) FROM summaries").await, 2);
}

async fn a_request_is_summarised_once_while_redis_is_away(env: &TestEnv) {
    let (site, mut redis) = (site(env), RedisServer::start());
    use_redis(env, &redis.url());
    redis.stop();
    let mut server = TestServer::ready(with_redis(env));
    server.wait_for_log("requests are locked in this process only until it does");
    let first = send(&server, &site.url("/umbrellas"));
    assert_eq!(ended(env, &server, first).await["request"]["status"], "success");
    assert!(metric(&server, "quire_redis_unavailable") >= 1.0);
    assert!(metric(&server, "quire_link_lock_fallbacks_total") >= 1.0);
    assert!(metric(&server, "quire_redis_errors_total{doing=\"look\"}") >= 1.0);
    redis.restart();
    server.wait_for_log("Redis works again");
    assert!(server.get("/metrics").body.contains("quire_redis_unavailable 0"));
    assert_eq!(env.sql.number("SELECT count(*) FROM summaries").await, 1);
    assert_eq!(site.requests("/umbrellas"), 1);
}

async fn a_lock_that_is_required_fails_the_request_and_the_start(env: &TestEnv) {
    let (site, mut redis) = (site(env), RedisServer::start());
    use_redis(env, &redis.url());
    let required = || {
        let mut command = with_redis(env);
        command.env("BACKGROUND_REDIS_LOCK_REQUIRED", "true");
        command
    };
    let server = TestServer::ready(required());
    redis.stop();
    let request = send(&server, &site.url("/umbrellas"));
    let detail = ended(env, &server, request).await;
    let error = &detail["request"]["error"];
    assert_eq!((&error["error_code"], &error["stage"]), (&json!("LOCK_FAILED"), &json!("lock")), "{detail}");
    assert_eq!(site.requests("/umbrellas"), 0);
    drop(server);
    let refused = error_of(&mut required());
    assert!(refused.contains("Redis does not work: it refuses connections"), "{refused}");
}

async fn losing_redis_in_the_middle_of_a_request_leaves_one_summary(env: &TestEnv) {
    let (site, mut redis) = (site(env), RedisServer::start());
    use_redis(env, &redis.url());
    site.hold();
    let server = TestServer::ready(with_redis(env));
    let request = send(&server, &site.url("/umbrellas"));
    site.wait_for_requests("/umbrellas", 1);
    redis.stop();
    site.release();
    assert_eq!(ended(env, &server, request).await["request"]["status"], "success");
    assert_eq!(env.sql.number("SELECT count(*) FROM summaries").await, 1);
    assert_eq!(site.requests("/umbrellas"), 1);
}

async fn a_server_that_misbehaves_costs_no_request(env: &TestEnv) {
    let (site, mut redis) = (site(env), RedisServer::start());
    redis.require_password("right");
    use_redis(env, &redis.url_with_password("wrong"));
    for (path, misbehave) in [("/password", None), ("/full", Some(true)), ("/silent", Some(false))] {
        match misbehave {
            Some(true) => redis.fill(),
            Some(false) => redis.freeze(),
            None => {}
        }
        site.set_article(path, "Umbrellas", super::ARTICLE);
        let mut command = with_redis(env);
        if misbehave.is_some() {
            command.env("REDIS_URL", "").env("QUIRE_REDIS_URL", redis.url_with_password("right"));
        }
        let server = TestServer::ready(command);
        let request = send(&server, &site.url(path));
        assert_eq!(ended(env, &server, request).await["request"]["status"], "success", "{path}");
        assert!(server.get("/metrics").body.contains("quire_redis_unavailable 1"), "{path}");
        let log = server.stop().stderr;
        assert!(log.contains("bg_lock_redis_error") && !log.contains("wrong"), "{path}: {log}");
    }
    redis.thaw();
}

async fn without_redis_locks_only_the_lock_of_the_process_is_used(env: &TestEnv) {
    let (site, redis) = (site(env), RedisServer::start());
    use_redis(env, &redis.url());
    let mut command = with_redis(env);
    command.env("BACKGROUND_REDIS_LOCK_ENABLED", "false");
    let server = TestServer::ready(command);
    let request = send(&server, &site.url("/umbrellas"));
    assert_eq!(ended(env, &server, request).await["request"]["status"], "success");
    assert_eq!(redis.command(&["DBSIZE"]), ":0");
    let log = server.stop().stderr;
    assert!(log.contains("locked in this process only") && log.contains("\"local\""), "{log}");
}

/// Stores a request with this run beside the server.
async fn create(env: &TestEnv, new: &NewRun, url: &str) {
    let (source, dedupe_hash) = source_of(LinkInput::Url(url.to_owned())).unwrap();
    let language = SummaryLanguage::Auto;
    let request = LinkRequest { source, dedupe_hash, key_id: None, language, retry_of: None };
    env.store.links.create(new, &request, Timestamp::now()).await.unwrap();
}
