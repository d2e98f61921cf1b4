//! Locks on a Redis server. A lock is a key that expires; who holds it renews it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Fence, RunId};
use quire_ports::{LockGuard, LockRequest, LockSource};
use redis::{Cmd, cmd};
use tokio::sync::{oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle};
use uuid::Uuid;

use super::connection::{RedisAddress, RedisConnection, RedisSettingsError};
use super::local::LocalGuard;

/// Between two looks at the server while it works, and while it does not.
const LOOK: Duration = Duration::from_secs(5);
const LOOK_WHILE_AWAY: Duration = Duration::from_secs(1);
/// How long a run that finds its lock held waits at least and at most.
const RETRY: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(15));

/// Gives the lock to another holder, if it still has the expected value.
const TAKE_OVER: &str = "if redis.call('GET', KEYS[1]) == ARGV[1] then \
    redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1 end return 0";
/// Prolongs our lock. A server that was restarted has lost it, and gets it again.
const RENEW: &str = "local held = redis.call('GET', KEYS[1]) \
    if held == ARGV[1] or not held then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 end return 0";
/// Deletes the lock if it is still ours.
const RELEASE: &str =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/// The settings of locks on a Redis server.
#[derive(Clone)]
pub struct RedisLockSettings {
    /// The server.
    pub address: RedisAddress,
    /// The beginning of every key.
    pub prefix: String,
    /// How long a lock lasts that is not renewed.
    pub ttl: Duration,
    /// How long to wait for the server.
    pub timeout: Duration,
    /// Host and process, for people who look at a lock.
    pub worker: String,
}

/// Locks on a Redis server.
pub struct RedisLocks {
    server: Arc<RedisServer>,
    /// Looks whether the server works.
    look: AbortHandle,
}

/// The outcome of a request for a lock.
pub(super) enum RedisOutcome {
    Acquired(RedisLock),
    Taken { retry_after: Duration },
}

/// A lock that is held. A task renews it and deletes it when `stop` is dropped.
pub(super) struct RedisLock {
    stop: oneshot::Sender<LocalGuard>,
    lost: watch::Receiver<bool>,
    task: JoinHandle<()>,
}

/// A lock on the server and in this process.
struct SharedGuard {
    /// Dropped, or taken by `release`.
    stop: Option<(oneshot::Sender<LocalGuard>, LocalGuard)>,
    lost: watch::Receiver<bool>,
    task: Option<JoinHandle<()>>,
}

struct RedisServer {
    connection: RedisConnection,
    settings: RedisLockSettings,
    is_away: AtomicBool,
}

impl RedisLocks {
    /// Locks on this server, which is not asked yet. A task looks from now on whether it works.
    pub fn new(settings: RedisLockSettings) -> Result<Self, RedisSettingsError> {
        let connection = RedisConnection::new(settings.address.clone(), settings.timeout)?;
        let server = Arc::new(RedisServer { connection, settings, is_away: AtomicBool::new(false) });
        metrics::gauge!("quire_redis_unavailable").set(0.0);
        let look = tokio::spawn(keep_looking(server.clone())).abort_handle();
        Ok(Self { server, look })
    }

    /// Fails if the server does not work, and says why.
    pub async fn check(&self) -> Result<(), String> {
        self.server.look().await
    }

    pub(super) async fn acquire(&self, request: &LockRequest) -> Result<RedisOutcome, String> {
        let server = &self.server;
        if server.is_away.load(Ordering::Relaxed) {
            // Nobody waits for a server that is known to be away; the task that looks notices when it is back.
            return Err("it does not answer".to_owned());
        }
        let key = server.key(request.id);
        let value = server.value(request.fence);
        let acquired = server.try_acquire(&key, &value, request.fence).await;
        match server.note("acquire", acquired)? {
            None => Ok(RedisOutcome::Acquired(RedisLock::hold(server.clone(), key, value, request))),
            Some(retry_after) => Ok(RedisOutcome::Taken { retry_after }),
        }
    }
}

impl Drop for RedisLocks {
    fn drop(&mut self) {
        self.look.abort();
    }
}

async fn keep_looking(server: Arc<RedisServer>) {
    loop {
        let works = server.look().await.is_ok();
        tokio::time::sleep(if works { LOOK } else { LOOK_WHILE_AWAY }).await;
    }
}

impl RedisServer {
    fn key(&self, id: RunId) -> String {
        match self.settings.prefix.as_str() {
            "" => format!("bg:req:{id}"),
            prefix => format!("{prefix}:bg:req:{id}"),
        }
    }

    /// Worker and time, and the fence by which the worker holds the run. No two values are the same.
    fn value(&self, fence: Fence) -> String {
        format!("{}/{} fence={fence} at={}", self.settings.worker, Uuid::now_v7(), Timestamp::now())
    }

    fn ttl_ms(&self) -> u64 {
        u64::try_from(self.settings.ttl.as_millis()).unwrap_or(u64::MAX)
    }

    /// None if the lock is ours; else when it may be free.
    async fn try_acquire(&self, key: &str, value: &str, fence: Fence) -> Result<Option<Duration>, String> {
        let mut set = cmd("SET");
        set.arg(key).arg(value).arg("NX").arg("PX").arg(self.ttl_ms());
        if self.connection.query::<Option<String>>(&set).await?.is_some() {
            return Ok(None);
        }
        let held = self.connection.query::<Option<String>>(cmd("GET").arg(key)).await?;
        let Some(held) = held else { return Ok(Some(RETRY.0)) };
        // The command that set our value may have been sent twice.
        if held == value {
            return Ok(None);
        }
        // The database gave the run to us after the holder of the lock; that one's result will be refused.
        if fence_of(&held).is_some_and(|held| held < fence) {
            let mut take = script(TAKE_OVER, key);
            take.arg(&held).arg(value).arg(self.ttl_ms());
            if self.connection.query::<i64>(&take).await? == 1 {
                return Ok(None);
            }
        }
        let left = self.connection.query::<i64>(cmd("PTTL").arg(key)).await?;
        let left = u64::try_from(left).map_or(RETRY.1, Duration::from_millis);
        Ok(Some(left.clamp(RETRY.0, RETRY.1)))
    }

    /// Looks whether the server stores something. A server whose memory is full still answers a ping.
    async fn look(&self) -> Result<(), String> {
        let key = match self.settings.prefix.as_str() {
            "" => "bg:look".to_owned(),
            prefix => format!("{prefix}:bg:look"),
        };
        let mut set = cmd("SET");
        set.arg(key).arg(&self.settings.worker).arg("PX").arg(1000);
        let outcome = self.connection.query::<String>(&set).await.map(drop);
        self.note("look", outcome)
    }

    /// Counts an error and keeps the metric of an outage up for as long as it lasts.
    fn note<T>(&self, doing: &'static str, outcome: Result<T, String>) -> Result<T, String> {
        let is_away = outcome.is_err();
        if let Err(error) = &outcome {
            metrics::counter!("quire_redis_errors_total", "doing" => doing).increment(1);
            if !self.is_away.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    event = "bg_lock_redis_error",
                    stage = "lock",
                    error,
                    "Redis does not work; requests are locked in this process only until it does"
                );
            }
        } else if self.is_away.swap(false, Ordering::Relaxed) {
            tracing::info!("Redis works again");
        }
        metrics::gauge!("quire_redis_unavailable").set(if is_away { 1.0 } else { 0.0 });
        outcome
    }
}

/// The fence in the value of a lock. None if something else has set it.
fn fence_of(value: &str) -> Option<Fence> {
    let (_, rest) = value.split_once(" fence=")?;
    rest.split(' ').next()?.parse().ok().map(Fence)
}

fn script(text: &str, key: &str) -> Cmd {
    let mut command = cmd("EVAL");
    command.arg(text).arg(1).arg(key);
    command
}

impl RedisLock {
    fn hold(server: Arc<RedisServer>, key: String, value: String, request: &LockRequest) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (lost_sender, lost) = watch::channel(false);
        let request = request.clone();
        let task = tokio::spawn(async move {
            tokio::select! {
                () = renew(&server, &key, &value, &request) => {
                    lost_sender.send_replace(true);
                }
                local = stopped => {
                    release(&server, &key, &value, &request).await;
                    drop(local);
                }
            }
        });
        Self { stop, lost, task }
    }

    /// Together with the lock in this process, which is released after it.
    pub(super) fn beside(self, local: LocalGuard) -> Box<dyn LockGuard> {
        Box::new(SharedGuard { stop: Some((self.stop, local)), lost: self.lost, task: Some(self.task) })
    }
}

/// Renews a lock until somebody else has it.
async fn renew(server: &RedisServer, key: &str, value: &str, request: &LockRequest) {
    loop {
        tokio::time::sleep(server.settings.ttl / 3).await;
        let mut renew = script(RENEW, key);
        renew.arg(value).arg(server.ttl_ms());
        let renewed = server.connection.query::<i64>(&renew).await;
        if matches!(server.note("renew", renewed), Ok(0)) {
            tracing::warn!(
                request_id = %request.id,
                correlation_id = request.correlation_id,
                stage = "lock",
                "request lock: another worker has taken it; this one stops"
            );
            return;
        }
    }
}

async fn release(server: &RedisServer, key: &str, value: &str, request: &LockRequest) {
    let mut release = script(RELEASE, key);
    release.arg(value);
    let released = server.connection.query::<i64>(&release).await;
    if let Err(error) = server.note("release", released) {
        tracing::warn!(
            event = "bg_lock_release_failed",
            request_id = %request.id,
            correlation_id = request.correlation_id,
            stage = "lock",
            error,
            "request lock: not released; it expires"
        );
    }
}

#[async_trait]
impl LockGuard for SharedGuard {
    fn source(&self) -> LockSource {
        LockSource::Redis
    }

    async fn lost(&self) {
        let mut lost = self.lost.clone();
        if lost.wait_for(|lost| *lost).await.is_err() {
            // The task has ended without losing the lock.
            std::future::pending::<()>().await;
        }
    }

    async fn release(mut self: Box<Self>) {
        let task = self.task.take();
        // Dropping hands the lock in this process to the task, which releases it last.
        drop(self);
        if let Some(task) = task {
            let _ = task.await;
        }
    }
}

impl Drop for SharedGuard {
    fn drop(&mut self) {
        if let Some((stop, local)) = self.stop.take() {
            // A task that has ended, because the lock was lost, gives the local lock back here.
            let _ = stop.send(local);
        }
    }
}
