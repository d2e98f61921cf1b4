//! A connection to a Redis server. It is opened when it is needed, and opened again after it broke.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo, RedisError};
use tokio::sync::watch;

/// The address of a Redis server, with the user and password if it needs them.
#[derive(Clone)]
pub struct RedisAddress(redis::ConnectionInfo);

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a URL such as redis://localhost:6379/0 or redis://user:password@host/0, without TLS")]
pub struct RedisSettingsError;

impl RedisAddress {
    /// Parses a URL.
    pub fn parse(url: &str) -> Result<Self, RedisSettingsError> {
        let url = url.trim();
        if !url.starts_with("redis://") && !url.starts_with("unix:") && !url.starts_with("redis+unix:") {
            return Err(RedisSettingsError);
        }
        // The parser's own message may quote a password.
        url.into_connection_info().map(Self).map_err(|_| RedisSettingsError)
    }
}

/// A connection that is opened when it is needed.
pub(super) struct RedisConnection {
    client: Client,
    timeout: Duration,
    state: Arc<Mutex<ConnectionState>>,
}

/// The outcome of an attempt to connect. None until it is there.
type CommandOutcome = Option<Result<MultiplexedConnection, RedisError>>;

/// What there is of a connection. Nobody holds the lock on it while waiting for the server.
#[derive(Default)]
struct ConnectionState {
    /// Grows with every attempt to connect.
    attempt: u64,
    open: Option<MultiplexedConnection>,
    /// The attempt that is running. All who need the connection wait for the same one, so that a server which does not
    /// answer costs each of them one timeout and not one for everybody before.
    connecting: Option<watch::Receiver<CommandOutcome>>,
}

impl RedisConnection {
    pub(super) fn new(address: RedisAddress, timeout: Duration) -> Result<Self, RedisSettingsError> {
        let client = Client::open(address.0).map_err(|_| RedisSettingsError)?;
        Ok(Self { client, timeout, state: Arc::default() })
    }

    /// The answer to a command, or what went wrong, without secrets. A connection may have broken while it was idle, so a
    /// command that finds it broken is sent once more.
    pub(super) async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, String> {
        match self.try_query(command).await {
            Err(error) if is_broken(&error) => self.try_query(command).await,
            answer => answer,
        }
        .map_err(|error| describe(&error))
    }

    async fn try_query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisError> {
        let (attempt, mut connection) = self.connection().await?;
        let answer = command.query_async(&mut connection).await;
        if let Err(error) = &answer
            && (is_broken(error) || error.is_timeout())
        {
            // An answer that comes late must not be taken for the answer to the next command.
            let mut state = lock(&self.state);
            if state.attempt == attempt {
                state.open = None;
            }
        }
        answer
    }

    /// The connection and the number of the attempt that opened it.
    async fn connection(&self) -> Result<(u64, MultiplexedConnection), RedisError> {
        let (attempt, mut outcome) = {
            let mut state = lock(&self.state);
            if let Some(connection) = &state.open {
                return Ok((state.attempt, connection.clone()));
            }
            let outcome = match &state.connecting {
                Some(outcome) => outcome.clone(),
                None => self.connect(&mut state),
            };
            (state.attempt, outcome)
        };
        match outcome.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone()) {
            Some(Ok(connection)) => Ok((attempt, connection)),
            Some(Err(error)) => Err(error),
            None => Err((ErrorKind::Io, "the attempt to connect was given up").into()),
        }
    }

    /// Begins to connect, in a task of its own: who asked for it may stop waiting.
    fn connect(&self, state: &mut ConnectionState) -> watch::Receiver<CommandOutcome> {
        let (sender, outcome) = watch::channel(None);
        state.attempt += 1;
        state.connecting = Some(outcome.clone());
        let (client, timeout, shared) = (self.client.clone(), self.timeout, self.state.clone());
        tokio::spawn(async move {
            let config = AsyncConnectionConfig::new()
                .set_connection_timeout(Some(timeout))
                .set_response_timeout(Some(timeout));
            let connected = client.get_multiplexed_async_connection_with_config(&config).await;
            let mut state = lock(&shared);
            state.connecting = None;
            state.open = connected.as_ref().ok().cloned();
            sender.send_replace(Some(connected));
        });
        outcome
    }
}

fn lock(state: &Mutex<ConnectionState>) -> MutexGuard<'_, ConnectionState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_broken(error: &RedisError) -> bool {
    error.is_connection_dropped() || error.is_connection_refusal() || error.is_unrecoverable_error()
}

/// What went wrong, in words without addresses, users and passwords.
fn describe(error: &RedisError) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    if error.is_connection_refusal() {
        return "it refuses connections".to_owned();
    }
    match (error.kind(), error.code()) {
        (ErrorKind::AuthenticationFailed, _) | (_, Some("NOAUTH" | "WRONGPASS")) => {
            "it refuses the user or password".to_owned()
        }
        (_, Some("OOM")) => "its memory is full".to_owned(),
        (_, Some(code)) => format!("it answered {code}"),
        _ if error.is_io_error() => "the connection failed".to_owned(),
        (kind, None) => format!("{kind:?}"),
    }
}
