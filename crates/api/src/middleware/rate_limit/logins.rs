//! How often somebody may be wrong about their key. Keys cannot be guessed, tokens that people chose perhaps can.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;

use super::{RateLimits, network, whole};

/// Refused logins a minute from one address.
pub(super) const LOGINS: u32 = 10;

impl RateLimits {
    /// Takes one of the attempts that this address has; otherwise the seconds after which there is one.
    pub(crate) fn try_login(&self, request: &Parts) -> Result<(), u64> {
        let wait = self.logins.take(&self.bucket(request), self.started.elapsed()).wait;
        wait.map_or(Ok(()), |wait: Duration| Err(whole(wait)))
    }

    /// Whoever had a key has lost no attempt.
    pub(crate) fn logged_in(&self, request: &Parts) {
        self.logins.give_back(&self.bucket(request));
    }

    /// Whether the browser spoke TLS with a proxy that is believed.
    pub(crate) fn is_encrypted(&self, request: &Parts) -> bool {
        peer(request).is_some_and(|peer| self.proxies.spoke_tls(peer, &request.headers))
    }

    /// From where somebody tries to log in, as far as that is known.
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
