//! Where the program may listen: on this machine always, beyond it only when whoever asks is asked who they are.

use std::net::{SocketAddr, ToSocketAddrs};

use quire_ports::Store;

use crate::config::{Config, Location};
use crate::trouble::Trouble;

/// The address to listen on, as `setting` has it.
pub(crate) fn address(setting: &str, listen: &str) -> Result<SocketAddr, Trouble> {
    listen.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or_else(|| {
        Trouble::new(format!("{setting} = {listen:?}: must be an address and a port, such as 127.0.0.1:8080"))
    })
}

/// Before anything is made: where there is no database yet, there is no key either.
pub(crate) fn refuse_what_cannot_be(config: &Config, address: SocketAddr) -> Result<(), Trouble> {
    let without_database = match config.location() {
        Location::Sqlite(path) => !path.is_file(),
        Location::Postgres(_) => false,
    };
    if needs_key(config, address) && without_database { Err(refused(address)) } else { Ok(()) }
}

/// Refuses to answer other machines while nobody has a credential.
pub(crate) async fn require_credential(
    config: &Config,
    store: &Store,
    address: SocketAddr,
) -> Result<(), Trouble> {
    if !needs_key(config, address) {
        return Ok(());
    }
    let keys = store.credentials.list().await?;
    if keys.iter().any(|key| key.revoked_at.is_none()) { Ok(()) } else { Err(refused(address)) }
}

fn needs_key(config: &Config, address: SocketAddr) -> bool {
    !address.ip().is_loopback() && config.server.auth_token.given().is_none()
}

fn refused(address: SocketAddr) -> Trouble {
    Trouble::new(format!(
        "{address} can be reached by other machines, and nobody would be asked who they are; make a key with `quire keys \
         create --name NAME --role admin`, or set AUTH_TOKEN, or listen on 127.0.0.1:{}",
        address.port()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_none_is_named() {
        for sound in ["127.0.0.1:8080", "[::1]:0", "0.0.0.0:8080"] {
            assert!(address("server.listen", sound).is_ok(), "{sound}");
        }
        for senseless in ["8080", "127.0.0.1", ""] {
            let refused = address("server.listen", senseless).unwrap_err().to_string();
            assert!(refused.contains("server.listen"), "{refused}");
        }
    }
}
