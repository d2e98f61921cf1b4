//! Which addresses the program may listen on: loopback always, any other only if clients must authenticate.

use std::net::{SocketAddr, ToSocketAddrs};

use quire_ports::Store;

use crate::config::{Config, DatabaseLocation};
use crate::error::CommandError;

/// Parses the address in `setting`.
pub(crate) fn parse_address(setting: &str, listen: &str) -> Result<SocketAddr, CommandError> {
    listen.to_socket_addrs().ok().and_then(|mut addresses| addresses.next()).ok_or_else(|| {
        CommandError::new(format!(
            "{setting} = {listen:?}: must be an address and a port, such as 127.0.0.1:8080"
        ))
    })
}

/// Refuses a public address before anything is created: without a database there can be no API key.
pub(crate) fn refuse_without_database(config: &Config, address: SocketAddr) -> Result<(), CommandError> {
    let without_database = match config.location() {
        DatabaseLocation::Sqlite(path) => !path.is_file(),
        DatabaseLocation::Postgres(_) => false,
    };
    if needs_key(config, address) && without_database { Err(refused(address)) } else { Ok(()) }
}

/// Refuses a public address if there is no credential that a client could use.
pub(crate) async fn require_credential(
    config: &Config,
    store: &Store,
    address: SocketAddr,
) -> Result<(), CommandError> {
    if !needs_key(config, address) {
        return Ok(());
    }
    let keys = store.credentials.list().await?;
    if keys.iter().any(|key| key.revoked_at.is_none()) { Ok(()) } else { Err(refused(address)) }
}

fn needs_key(config: &Config, address: SocketAddr) -> bool {
    !address.ip().is_loopback() && config.server.auth_token.non_empty().is_none()
}

fn refused(address: SocketAddr) -> CommandError {
    CommandError::new(format!(
        "refusing to listen on {address}: other machines can reach it and no API key is required yet. Create a key with \
         `quire keys create --name NAME --role admin`, set AUTH_TOKEN, or listen on 127.0.0.1:{}",
        address.port()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_address_is_refused_with_the_name_of_its_setting() {
        for valid in ["127.0.0.1:8080", "[::1]:0", "0.0.0.0:8080"] {
            assert!(parse_address("server.listen", valid).is_ok(), "{valid}");
        }
        for invalid in ["8080", "127.0.0.1", ""] {
            let refused = parse_address("server.listen", invalid).unwrap_err().to_string();
            assert!(refused.contains("server.listen"), "{refused}");
        }
    }
}
