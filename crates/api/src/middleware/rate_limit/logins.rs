//! The limit on failed logins. Nobody guesses a key, but a token that a person chose may be guessable.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;

use super::{RateLimits, network, whole_seconds};

/// Failed logins a minute from one address.
pub(super) const LOGIN_ATTEMPTS: u32 = 10;

impl RateLimits {
    /// Uses one attempt of this address; an error is the number of seconds until the next one.
    pub(crate) fn try_login(&self, request: &Parts) -> Result<(), u64> {
        let wait = self.logins.take(&self.bucket(request), self.started.elapsed()).wait;
        wait.map_or(Ok(()), |wait: Duration| Err(whole_seconds(wait)))
    }

    /// Returns the attempt after a successful login.
    pub(crate) fn logged_in(&self, request: &Parts) {
        self.logins.give_back(&self.bucket(request));
    }

    /// Whether the browser used TLS with a trusted proxy.
    pub(crate) fn is_encrypted(&self, request: &Parts) -> bool {
        peer(request).is_some_and(|peer| self.proxies.used_tls(peer, &request.headers))
    }

    /// The address of the client, as far as it is known.
    pub(crate) fn address(&self, request: &Parts) -> Option<IpAddr> {
        peer(request).map(|peer| self.proxies.client(peer, &request.headers))
    }

    fn bucket(&self, request: &Parts) -> String {
        self.address(request).map_or_else(String::new, |address| network(address).to_string())
    }
}

fn peer(request: &Parts) -> Option<IpAddr> {
    request.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
}
