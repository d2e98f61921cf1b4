//! PostgreSQL's errors, translated once.

use quire_ports::PortError;
use sqlx::error::DatabaseError;

/// The index that a second front of a subject runs into.
const ONE_FRONT: &str = "runs_one_front_per_subject";

/// What the application is told. The server's own texts may name hosts and users, so only those of constraints,
/// which are ours, pass through.
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

/// By SQLSTATE; its first two letters are the class.
fn translate_state(refused: &dyn DatabaseError) -> PortError {
    let state = refused.code().unwrap_or_default();
    match state.as_ref() {
        "40001" | "40P01" | "55P03" => unavailable("others are writing to the same runs", true),
        "57014" => unavailable("a statement took too long", true),
        "23505" if refused.constraint() == Some(ONE_FRONT) => {
            unavailable("another run of the subject came first", true)
        }
        "42P01" => PortError::Conflict("the database has no schema yet; run `quire migrate up`".to_owned()),
        "3D000" => unavailable("the server has no such database", false),
        "25P03" => unavailable("the transaction was open for too long", false),
        _ => match state.get(..2).unwrap_or_default() {
            // What our triggers say is for people; what the server says of a constraint names tables.
            "23" if refused.constraint().is_none() => PortError::Conflict(refused.message().to_owned()),
            "23" => PortError::Conflict("a rule of the database refused it".to_owned()),
            "08" => unavailable("the server does not answer", false),
            "28" => unavailable("the server refused the login; check user and password", false),
            "53" => unavailable("the server is out of memory, disk or connections", false),
            "57" | "58" => unavailable("the server is stopping, starting or failing", false),
            "25" => unavailable("the server takes no writes", false),
            // Data that cannot be stored as it is, and will not be next time either.
            "22" | "54" => PortError::Corrupt(refused.message().to_owned()),
            // Whatever else the server has against it, somebody may mend: nothing is given up for it.
            _ => unavailable(&format!("the server refuses it (SQLSTATE {state})"), false),
        },
    }
}

/// Whether the connection, rather than what was asked of it, is at fault.
pub(crate) fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        // What the server says as it ends a connection, which is read only when the next question is asked.
        sqlx::Error::Database(refused) => {
            matches!(refused.code().as_deref(), Some("57P01" | "57P02" | "57P05" | "25P03"))
        }
        _ => false,
    }
}

/// The server is there, but not for this.
pub(crate) fn unavailable(reason: &str, contention: bool) -> PortError {
    PortError::Unavailable { service: "database", reason: reason.to_owned(), contention }
}

/// The store was dropped: the process is on its way out.
pub(crate) fn stopped() -> PortError {
    unavailable("it was closed", false)
}

/// Never with the URL in it, which may hold a password.
pub(crate) fn not_a_url() -> PortError {
    PortError::Conflict(
        "the database URL cannot be understood; it looks like postgres://user:password@host:5432/database"
            .to_owned(),
    )
}
