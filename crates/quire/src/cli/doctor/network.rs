//! Who can reach the server, and which proxies it trusts.

use std::net::IpAddr;

use super::{CheckedInstallation, Finding};
use crate::listen;

/// Addresses of the public internet that no operator owns together.
const STRANGERS: [&str; 3] = ["203.0.113.1", "8.8.8.8", "2001:db8::1"];

pub(super) async fn authentication(installation: &CheckedInstallation<'_>) -> Finding {
    let config = installation.config;
    let address = match listen::parse_address("server.listen", &config.server.listen) {
        Ok(address) => address,
        Err(error) => return Finding::error(error.to_string(), "correct server.listen"),
    };
    if address.ip().is_loopback() {
        return Finding::ok(format!("{address} is for this machine alone"));
    }
    if config.server.auth_token.non_empty().is_some() {
        return Finding::ok(format!("{address} requires a credential"));
    }
    let remedy = "run `quire keys create --name NAME --role admin`, or listen on 127.0.0.1";
    let Some(store) = installation.store() else {
        return Finding::error(
            format!("other machines can reach {address}, and whether there is a key is not known"),
            remedy,
        );
    };
    match listen::require_credential(config, store, address).await {
        Ok(()) => Finding::ok(format!("{address} requires a credential")),
        Err(_) => Finding::error(
            format!("other machines can reach {address}, and there is no valid API key"),
            remedy,
        ),
    }
}

pub(super) fn proxies(installation: &CheckedInstallation<'_>) -> Finding {
    let server = &installation.config.server;
    let strangers = STRANGERS.iter().filter_map(|address| address.parse::<IpAddr>().ok());
    if strangers.into_iter().any(|address| server.trusted_proxies.contain(address)) {
        return Finding::error(
            "server.trusted_proxies has the whole internet: every client can claim any address with X-Forwarded-For",
            "name only the addresses of your proxies in server.trusted_proxies",
        );
    }
    let is_public = listen::parse_address("server.listen", &server.listen)
        .is_ok_and(|address| !address.ip().is_loopback());
    if is_public && server.trusted_proxies.is_empty() {
        return Finding::warning(
            "other machines reach the server in plain HTTP: keys and documents cross the network unencrypted",
            "put a proxy with TLS in front and name it in server.trusted_proxies",
        );
    }
    if server.trusted_proxies.is_empty() {
        Finding::ok("no proxy is trusted: X-Forwarded-For is ignored")
    } else {
        Finding::ok("only the named proxies are trusted")
    }
}
