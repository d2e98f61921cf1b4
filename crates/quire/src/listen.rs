//! Which addresses the program may listen on: loopback always, any other only if clients must authenticate. And how many
//! connections it keeps open.

use std::net::{SocketAddr, ToSocketAddrs};

use quire_api::ConnectionLimits;
use quire_ports::Store;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::{Config, DatabaseLocation, to_std};
use crate::error::CommandError;

/// Warns of an address that other machines can reach in plain HTTP. With a proxy that handles TLS, its address is known.
pub(crate) fn warn_without_tls(config: &Config, address: SocketAddr) {
    if !address.ip().is_loopback() && config.server.trusted_proxies.is_empty() {
        tracing::warn!(
            %address,
            "listening beyond loopback in plain HTTP: keys and documents cross the network unencrypted; put a proxy with TLS \
             in front and name it in server.trusted_proxies"
        );
    }
}

/// Open files beside connections: the database, documents, and pipes of parsers.
const OTHER_FILES: u64 = 512;

/// The connections that the server keeps open: as many as the settings say and the process may open files.
pub(crate) fn connection_limits(config: &Config) -> ConnectionLimits {
    let wanted = config.limits.connections;
    let possible = usize::try_from(raise_file_limit().saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
    if possible < wanted {
        tracing::warn!(
            limit = possible,
            "limits.connections lowered to the number of files that the process may open; raise ulimit -n"
        );
    }
    ConnectionLimits {
        total: wanted.min(possible.max(16)),
        per_client: config.limits.connections_per_client,
        client_timeout: to_std(config.limits.client_timeout),
        proxies: config.server.trusted_proxies.clone(),
    }
}

/// Lets the process open as many files as it may, and returns how many. The usual limit of 1024 is for old programs.
fn raise_file_limit() -> u64 {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let current = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    current.unwrap_or(u64::MAX)
}

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
    let now = store.clock.now();
    let is_valid = keys.iter().any(|key| key.revoked_at.is_none() && !key.has_expired(now));
    if is_valid { Ok(()) } else { Err(refused(address)) }
}

fn needs_key(config: &Config, address: SocketAddr) -> bool {
    !address.ip().is_loopback() && config.server.auth_token.non_empty().is_none()
}

fn refused(address: SocketAddr) -> CommandError {
    CommandError::new(format!(
        "refusing to listen on {address}: other machines can reach it and there is no valid API key. Create a key with \
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
