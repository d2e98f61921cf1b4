//! Locks on a real Redis server that stops, restarts, is slow, is full or refuses the password.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use quire_domain::{Fence, RunId};
use quire_ports::{LockGuard, LockOutcome, LockRequest, LockSource, RequestLocks};
use quire_testkit::RedisServer;

use super::connection::RedisConnection;
use super::{RedisAddress, RedisLockSettings, RedisLocks, SharedLocks};

/// A server that answers at all answers within this time, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(2);

/// Something that happens to a server.
type Change = fn(&mut RedisServer);

fn settings(url: &str) -> RedisLockSettings {
    RedisLockSettings {
        address: RedisAddress::parse(url).unwrap(),
        prefix: "bsr".to_owned(),
        ttl: Duration::from_mins(5),
        timeout: PATIENCE,
        worker: "tester:1".to_owned(),
    }
}

fn locks(url: &str) -> SharedLocks {
    SharedLocks::redis(RedisLocks::new(settings(url)).unwrap(), false)
}

fn request(id: RunId, fence: i32) -> LockRequest {
    LockRequest { id, fence: Fence(fence), correlation_id: "corr-1".to_owned() }
}

async fn acquired(locks: &SharedLocks, id: RunId) -> Box<dyn LockGuard> {
    match locks.acquire(&request(id, 1)).await {
        LockOutcome::Acquired(guard) => guard,
        LockOutcome::Taken { source, .. } => panic!("held: {}", source.as_str()),
        LockOutcome::Failed { reason } => panic!("{reason}"),
    }
}

async fn is_held(locks: &SharedLocks, id: RunId, fence: i32) -> Option<LockSource> {
    match locks.acquire(&request(id, fence)).await {
        LockOutcome::Taken { source, .. } => Some(source),
        _ => None,
    }
}

/// Proves R173.
#[tokio::test]
async fn a_lock_is_a_key_with_the_prefix_that_names_worker_and_time_and_expires() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let id = RunId::new();
    let guard = acquired(&locks, id).await;
    assert_eq!(guard.source(), LockSource::Redis);
    let key = format!("bsr:bg:req:{id}");
    let value = server.get(&key).unwrap();
    assert!(value.starts_with("tester:1/") && value.contains(" fence=1 at=20"), "{value}");
    let ttl = server.ttl_ms(&key);
    assert!((290_000..=300_000).contains(&ttl), "{ttl}");
    guard.release().await;
    assert_eq!(server.get(&key), None);
}

/// Proves R172.
#[tokio::test]
async fn a_second_process_finds_the_lock_held_until_it_is_released() {
    let server = RedisServer::start();
    let (one, other) = (locks(&server.url()), locks(&server.url()));
    let id = RunId::new();
    let guard = acquired(&one, id).await;
    assert_eq!(is_held(&one, id, 1).await, Some(LockSource::Local));
    assert_eq!(is_held(&other, id, 1).await, Some(LockSource::Redis));
    guard.release().await;
    acquired(&other, id).await.release().await;
}

/// Proves R174.
#[tokio::test]
async fn a_release_deletes_the_key_only_if_it_is_still_ours() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let id = RunId::new();
    let key = format!("bsr:bg:req:{id}");
    let guard = acquired(&locks, id).await;
    server.command(&["SET", &key, "somebody else"]);
    guard.release().await;
    assert_eq!(server.get(&key).as_deref(), Some("somebody else"));
}

/// Proves R183: a step that is cancelled drops its lock.
#[tokio::test]
async fn a_lock_that_is_dropped_is_released() {
    let server = RedisServer::start();
    let (one, other) = (locks(&server.url()), locks(&server.url()));
    let id = RunId::new();
    drop(acquired(&one, id).await);
    while is_held(&other, id, 1).await.is_some() {
        tokio::task::yield_now().await;
    }
}

/// A run that another worker was given later need not wait until the lock of a dead worker expires.
#[tokio::test]
async fn a_later_fence_takes_the_lock_and_an_earlier_one_does_not() {
    let server = RedisServer::start();
    let (one, other) = (locks(&server.url()), locks(&server.url()));
    let id = RunId::new();
    let dead = acquired(&one, id).await;
    assert_eq!(is_held(&other, id, 0).await, Some(LockSource::Redis));
    assert_eq!(is_held(&other, id, 1).await, Some(LockSource::Redis));
    let LockOutcome::Acquired(taken) = other.acquire(&request(id, 2)).await else { panic!("not taken") };
    dead.release().await;
    let value = server.get(&format!("bsr:bg:req:{id}")).unwrap();
    assert!(value.contains(" fence=2 "), "{value}");
    taken.release().await;
}

#[tokio::test]
async fn a_value_of_another_program_counts_as_held() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let id = RunId::new();
    server.command(&["SET", &format!("bsr:bg:req:{id}"), "worker-17", "PX", "60000"]);
    assert_eq!(is_held(&locks, id, 9).await, Some(LockSource::Redis));
}

/// The renewal outlives the time after which the lock would expire, and a restarted server gets the lock again.
#[tokio::test]
async fn a_lock_is_renewed_for_as_long_as_it_is_held() {
    let mut server = RedisServer::start();
    let short = RedisLockSettings { ttl: Duration::from_millis(300), ..settings(&server.url()) };
    let locks = SharedLocks::redis(RedisLocks::new(short).unwrap(), false);
    let id = RunId::new();
    let key = format!("bsr:bg:req:{id}");
    let guard = acquired(&locks, id).await;
    let value = server.get(&key);
    server.restart();
    while server.get(&key).is_none() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(server.get(&key), value);
    server.command(&["SET", &key, "somebody else"]);
    guard.lost().await;
    guard.release().await;
    assert_eq!(server.get(&key).as_deref(), Some("somebody else"));
}

/// Proves R175, R176, R196: what Redis does wrong costs nothing but its lock, unless it is required.
#[tokio::test]
async fn a_server_that_is_away_full_silent_or_refuses_us_is_replaced_by_the_lock_in_the_process() {
    let mut server = RedisServer::start();
    let faults: [(Change, Change, &str); 4] = [
        (RedisServer::stop, RedisServer::restart, "it refuses connections"),
        (|server| server.fill(), |server| server.empty(), "its memory is full"),
        (|server| server.freeze(), |server| server.thaw(), "it did not answer in time"),
        (|server| server.require_password("secret"), |_| {}, "it refuses the user or password"),
    ];
    for (begin, end, why) in faults {
        begin(&mut server);
        let id = RunId::new();
        let quick = RedisLockSettings { timeout: Duration::from_millis(300), ..settings(&server.url()) };
        let redis = RedisLocks::new(quick.clone()).unwrap();
        assert_eq!(redis.check().await, Err(why.to_owned()));
        let optional = SharedLocks::redis(redis, false);
        let guard = acquired(&optional, id).await;
        assert_eq!(guard.source(), LockSource::Local, "{why}");
        assert_eq!(is_held(&optional, id, 1).await, Some(LockSource::Local), "{why}");
        guard.release().await;
        let required = SharedLocks::redis(RedisLocks::new(quick).unwrap(), true);
        assert!(matches!(required.acquire(&request(id, 1)).await, LockOutcome::Failed { .. }), "{why}");
        end(&mut server);
        if why != "it refuses the user or password" {
            // The task that looks notices that the server is back.
            while acquired(&optional, id).await.source() != LockSource::Redis {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    let known =
        SharedLocks::redis(RedisLocks::new(settings(&server.url_with_password("secret"))).unwrap(), true);
    assert_eq!(acquired(&known, RunId::new()).await.source(), LockSource::Redis);
}

/// Proves R196: the lock in this process holds when Redis is lost in the middle of work.
#[tokio::test]
async fn losing_redis_in_the_middle_of_work_frees_no_lock_of_this_process() {
    let mut server = RedisServer::start();
    let locks = locks(&server.url());
    let id = RunId::new();
    let guard = acquired(&locks, id).await;
    server.stop();
    assert_eq!(is_held(&locks, id, 2).await, Some(LockSource::Local));
    guard.release().await;
    assert_eq!(acquired(&locks, id).await.source(), LockSource::Local);
}

/// A server that is only slow keeps its locks: it answers within the limit, so nobody falls back to the lock of the process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_server_still_locks_renews_and_releases() {
    let server = RedisServer::start();
    let slow = RedisLockSettings { ttl: Duration::from_millis(1500), ..settings(&server.url()) };
    let one = SharedLocks::redis(RedisLocks::new(slow).unwrap(), true);
    let other = locks(&server.url());
    let id = RunId::new();
    let key = format!("bsr:bg:req:{id}");
    server.delay_answers(Duration::from_millis(400));
    let guard = acquired(&one, id).await;
    assert_eq!(guard.source(), LockSource::Redis);
    server.delay_answers(Duration::from_millis(400));
    assert_eq!(is_held(&other, id, 1).await, Some(LockSource::Redis));
    // A renewal raises the time that is left.
    let mut left = server.ttl_ms(&key);
    loop {
        server.delay_answers(Duration::from_millis(50));
        let now = server.ttl_ms(&key);
        assert!(now > 0, "the lock was lost");
        if now > left {
            break;
        }
        left = now;
    }
    server.delay_answers(Duration::from_millis(400));
    guard.release().await;
    assert_eq!(server.get(&key), None);
}

/// A server that accepts connections and never answers, and how many it has accepted.
fn black_hole() -> (String, Arc<AtomicUsize>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}/0", listener.local_addr().unwrap());
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = accepted.clone();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            open.push(stream);
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    (url, accepted)
}

/// Twenty renewals or releases at once wait for one attempt to connect. If each made its own, the last would wait twenty
/// timeouts.
#[tokio::test]
async fn all_who_need_a_server_that_does_not_answer_wait_for_the_same_attempt() {
    let (url, accepted) = black_hole();
    let connection = RedisConnection::new(RedisAddress::parse(&url).unwrap(), Duration::from_millis(500));
    let connection = Arc::new(connection.unwrap());
    let queries = (0..20).map(|_| {
        let connection = connection.clone();
        tokio::spawn(async move { connection.query::<String>(&redis::cmd("PING")).await })
    });
    for query in queries.collect::<Vec<_>>() {
        assert_eq!(query.await.unwrap(), Err("it did not answer in time".to_owned()));
    }
    assert_eq!(accepted.load(Ordering::SeqCst), 1);
}

#[test]
fn an_address_is_a_redis_url_and_its_error_quotes_nothing() {
    for url in ["redis://localhost", "redis://u:p@h:1/2", "unix:/run/redis.sock"] {
        assert!(RedisAddress::parse(url).is_ok(), "{url}");
    }
    for url in ["", "localhost:6379", "rediss://h", "http://h", "redis://:secret@h:99999/0"] {
        let error = RedisAddress::parse(url).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("redis://localhost:6379/0") && !error.contains("secret"), "{url}: {error}");
    }
}
