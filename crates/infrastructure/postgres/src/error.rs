//! Translates the errors of PostgreSQL.

use quire_ports::PortError;
use sqlx::error::DatabaseError;

/// The unique index that allows one front for each subject and pipeline.
const ONE_FRONT: &str = "runs_one_front_per_subject";

/// The error for the application. The server's own messages may name hosts and users, so only the messages of our own
/// constraints pass through.
#[allow(clippy::needless_pass_by_value)] // `map_err(translate)` reads best.
pub(crate) fn translate(error: sqlx::Error) -> PortError {
    match &error {
        sqlx::Error::Database(refused) => translate_state(refused.as_ref()),
        sqlx::Error::RowNotFound => PortError::NotFound("what was asked for".to_owned()),
        sqlx::Error::PoolTimedOut => unavailable("no connection could be had in time", false),
        sqlx::Error::PoolClosed => stopped(),
        sqlx::Error::Tls(_) => unavailable("no secure connection could be made", false),
        sqlx::Error::Io(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => unavailable("the server does not answer", false),
        sqlx::Error::Configuration(_) => not_a_url(),
        _ => PortError::Corrupt(error.to_string()),
    }
}

/// Translates by SQLSTATE. Its first two characters are the class.
fn translate_state(refused: &dyn DatabaseError) -> PortError {
    let state = refused.code().unwrap_or_default();
    match state.as_ref() {
        "40001" | "40P01" | "55P03" => unavailable("others are writing to the same runs", true),
        "57014" => unavailable("a statement took too long", true),
        "23505" if refused.constraint() == Some(ONE_FRONT) => {
            unavailable("another run of the subject came first", true)
        }
        "42P01" => PortError::Conflict("the database has no tables yet; run `quire migrate up`".to_owned()),
        "3D000" => unavailable("the server has no such database", false),
        // The server has rolled the transaction back.
        "53100" => PortError::Full { service: "database" },
        "25P03" => unavailable("the transaction was open for too long", false),
        _ => match state.get(..2).unwrap_or_default() {
            // The messages of our triggers are written for users. The server's messages about constraints name tables.
            "23" if refused.constraint().is_none() => PortError::Conflict(refused.message().to_owned()),
            "23" => PortError::Conflict("a rule of the database refused it".to_owned()),
            // A pooler refuses what the URL asks of a connection, such as `options`.
            "08" if refused.message().contains("startup parameter") => PortError::Conflict(
                "a connection pooler refuses a parameter of the database URL; leave the parameters out, and set the \
                 schema with database.schema"
                    .to_owned(),
            ),
            "08" => unavailable("the server does not answer", false),
            "28" => unavailable("the server refused the login; check user and password", false),
            "53" => unavailable("the server is out of memory or connections", false),
            "57" | "58" => unavailable("the server is stopping, starting or failing", false),
            "25" => unavailable("the server takes no writes", false),
            // The database cannot store this data, and a retry would fail too.
            "22" | "54" => PortError::Corrupt(refused.message().to_owned()),
            // An operator may be able to fix the cause of any other server error, so the error stays a passing one.
            _ => unavailable(&format!("the server refuses it (SQLSTATE {state})"), false),
        },
    }
}

/// Whether the connection caused the error, rather than the statement.
pub(crate) fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        // The server sends these codes when it closes a connection. The client reads them only with its next
        // statement.
        sqlx::Error::Database(refused) => {
            matches!(refused.code().as_deref(), Some("57P01" | "57P02" | "57P05" | "25P03"))
        }
        _ => false,
    }
}

/// Whether the server, or a pooler in front of it, allows no such message.
pub(crate) fn is_protocol_violation(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(refused) if refused.code().as_deref() == Some("08P01"))
}

/// The server answers, but cannot serve this request now.
pub(crate) fn unavailable(reason: &str, contention: bool) -> PortError {
    PortError::Unavailable { service: "database", reason: reason.to_owned(), contention }
}

/// The store was dropped, because the process is shutting down.
pub(crate) fn stopped() -> PortError {
    unavailable("it was closed", false)
}

/// The message never contains the URL, which may hold a password.
pub(crate) fn not_a_url() -> PortError {
    PortError::Conflict(
        "the database URL cannot be understood; it looks like postgres://user:password@host:5432/database"
            .to_owned(),
    )
}
