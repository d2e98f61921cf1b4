//! The schema that a request names must exist.

use quire_ports::{PortResult, Store};

/// The most characters of an unknown name that an error message repeats.
const NAME_SHOWN: usize = 64;

/// A schema that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no schema {name}; choose one of: {}", .known.join(", "))]
pub struct UnknownSchema {
    /// The requested name, shortened.
    pub name: String,
    /// The names of the existing schemas.
    pub known: Vec<String>,
}

/// Fails if the schema does not exist. The error lists the existing schemas.
pub async fn require_schema(store: &Store, name: &str) -> PortResult<Result<(), UnknownSchema>> {
    let known = store.governance.schema_names().await?;
    if known.iter().any(|one| one == name) {
        return Ok(Ok(()));
    }
    Ok(Err(UnknownSchema { name: shortened(name), known }))
}

/// A name from a request, shortened and without control characters, for an error message.
fn shortened(name: &str) -> String {
    let plain = name.chars().filter(|c| !c.is_control());
    plain.take(NAME_SHOWN).collect()
}
