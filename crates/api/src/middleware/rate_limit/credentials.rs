//! The limit on wrong credentials: keys, tokens, logins and sessions together. Nobody guesses a key, but each wrong one costs
//! a look into the database and a line in the log.
//!
//! A credential that was right at an address before is not limited there: a program with a revoked key must not lock out
//! the people beside it.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use sha2::{Digest as _, Sha256};

use super::rate::Rate;
use super::{RateLimits, whole_seconds};
use crate::middleware::trusted_proxies::network;

/// Wrong credentials a minute from one address.
const WRONG_CREDENTIALS: u64 = 10;
/// Credentials remembered at once.
const MAX_REMEMBERED: usize = 10_000;

/// What is known about credentials.
pub(super) struct CredentialLimit {
    wrong: Rate,
    /// Whether a credential was right at an address when it was last presented there, and when that was.
    seen: Mutex<HashMap<[u8; 32], (bool, Duration)>>,
}

impl Default for CredentialLimit {
    fn default() -> Self {
        Self { wrong: Rate::per_minute(WRONG_CREDENTIALS), seen: Mutex::default() }
    }
}

impl CredentialLimit {
    fn was_right(&self, credential: &[u8; 32]) -> Option<bool> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(credential).map(|(is_right, _)| *is_right)
    }

    fn remember(&self, credential: [u8; 32], is_right: bool, now: Duration) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MAX_REMEMBERED && !seen.contains_key(&credential) {
            // Half of them at once, so that many wrong credentials do not cost a search each.
            let mut times: Vec<_> = seen.values().map(|(_, at)| *at).collect();
            times.sort_unstable();
            let middle = times[times.len() / 2];
            seen.retain(|_, (_, at)| *at > middle);
        }
        seen.insert(credential, (is_right, now));
    }
}

impl RateLimits {
    /// Whether this credential may be looked up; an error is the number of seconds until it may.
    pub(crate) fn check_credential(&self, request: &Parts, credential: &str) -> Result<(), u64> {
        if self.credentials.was_right(&self.identify(request, credential)) == Some(true) {
            return Ok(());
        }
        let wait = self.credentials.wrong.wait(&self.bucket(request), self.started.elapsed());
        wait.map_or(Ok(()), |wait| Err(whole_seconds(wait)))
    }

    /// Records that a credential was right.
    pub(crate) fn credential_was_right(&self, request: &Parts, credential: &str) {
        let now = self.started.elapsed();
        self.credentials.remember(self.identify(request, credential), true, now);
    }

    /// Counts a wrong key, token or login.
    pub(crate) fn credential_was_wrong(&self, request: &Parts, credential: &str) {
        let now = self.started.elapsed();
        self.credentials.remember(self.identify(request, credential), false, now);
        self.credentials.wrong.take(&self.bucket(request), now);
    }

    /// Counts a session that does not exist, once: a browser whose session has ended sends it with every request. Returns
    /// whether it counted.
    pub(crate) fn session_was_wrong(&self, request: &Parts, secret: &str) -> bool {
        let is_new = self.credentials.was_right(&self.identify(request, secret)) != Some(false);
        if is_new {
            self.credential_was_wrong(request, secret);
        }
        is_new
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

    /// A credential at an address. Only a hash is kept.
    fn identify(&self, request: &Parts, credential: &str) -> [u8; 32] {
        let bucket = self.bucket(request);
        Sha256::new().chain_update(bucket).chain_update([0]).chain_update(credential).finalize().into()
    }
}

fn peer(request: &Parts) -> Option<IpAddr> {
    request.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;
    use crate::TrustedProxies;

    fn from(address: &str) -> Parts {
        let mut request = Request::get("/").body(()).unwrap();
        let peer: SocketAddr = format!("{address}:1").parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        request.into_parts().0
    }

    #[test]
    fn wrong_credentials_are_limited_by_address_and_right_ones_are_not() {
        let limits = RateLimits::new(crate::RatesPerMinute::default(), TrustedProxies::default());
        let (office, home) = (from("192.0.2.1"), from("192.0.2.2"));
        limits.credential_was_right(&office, "right");
        for number in 0..WRONG_CREDENTIALS {
            let guess = format!("guess {number}");
            assert_eq!(limits.check_credential(&office, &guess), Ok(()), "{guess}");
            limits.credential_was_wrong(&office, &guess);
        }
        assert!(limits.check_credential(&office, "another guess").is_err());
        assert!(limits.check_credential(&office, "never seen here").is_err(), "also one that may be right");
        assert_eq!(limits.check_credential(&office, "right"), Ok(()), "who was in stays in");
        assert_eq!(limits.check_credential(&home, "another guess"), Ok(()), "other addresses have their own");
        limits.credential_was_wrong(&office, "right");
        assert!(limits.check_credential(&office, "right").is_err(), "it was revoked");
    }

    #[test]
    fn an_ended_session_counts_once() {
        let limits = RateLimits::new(crate::RatesPerMinute::default(), TrustedProxies::default());
        let browser = from("192.0.2.1");
        let counted = (0..100).filter(|_| limits.session_was_wrong(&browser, "ended")).count();
        assert_eq!((counted, limits.check_credential(&browser, "a key")), (1, Ok(())));
        for number in 0..WRONG_CREDENTIALS {
            limits.session_was_wrong(&browser, &number.to_string());
        }
        assert!(limits.check_credential(&browser, "a key").is_err(), "guessed sessions count like keys");
    }

    #[test]
    fn the_number_of_remembered_credentials_is_limited() {
        let limit = CredentialLimit::default();
        for number in 0..u64::try_from(MAX_REMEMBERED).unwrap() + 100 {
            let mut credential = [0; 32];
            credential[..8].copy_from_slice(&number.to_le_bytes());
            limit.remember(credential, true, Duration::from_secs(number));
        }
        assert!(limit.seen.lock().unwrap().len() <= MAX_REMEMBERED);
    }
}
