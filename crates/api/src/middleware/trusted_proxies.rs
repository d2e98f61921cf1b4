//! The address of a client behind proxies.
//!
//! Any client can send `X-Forwarded-For`. Only the part that trusted proxies wrote counts: from its right end to the first
//! address that is not a trusted proxy.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The proxies whose headers are trusted.
#[derive(Clone, Debug, Default)]
pub struct TrustedProxies(Vec<Network>);

/// A range of addresses.
#[derive(Clone, Copy, Debug)]
struct Network {
    address: IpAddr,
    /// The length of the prefix in bits.
    bits: u32,
}

impl TrustedProxies {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address of the client, as far as trusted proxies report it.
    pub(crate) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        let entries = headers.get_all(FORWARDED_FOR).iter().rev().filter_map(|value| value.to_str().ok());
        for entry in entries.flat_map(|list| list.rsplit(',')) {
            if !self.contain(client) {
                break;
            }
            let Some(before) = address(entry.trim()) else { break };
            client = before;
        }
        client
    }

    /// Whether a trusted proxy received the request over TLS.
    pub(crate) fn used_tls(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        let header = headers.get(FORWARDED_PROTO).and_then(|value| value.to_str().ok());
        // The first of several is what the browser used.
        let first = header.and_then(|list| list.split(',').next());
        self.contain(peer.to_canonical())
            && first.is_some_and(|first| first.trim().eq_ignore_ascii_case("https"))
    }

    /// Whether this address is a trusted proxy.
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }
}

impl FromStr for TrustedProxies {
    type Err = String;

    /// Addresses or ranges (`10.0.0.0/8`), separated by spaces or commas.
    fn from_str(text: &str) -> Result<Self, String> {
        let words = text.split([' ', ',']).filter(|word| !word.is_empty());
        words.map(Network::from_str).collect::<Result<Vec<_>, _>>().map(Self)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is neither an address (10.0.0.7) nor a range (10.0.0.0/8)");
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse::<u32>().map_err(|_| wrong()))?;
        if bits > most { Err(wrong()) } else { Ok(Self { address, bits }) }
    }
}

impl Network {
    fn contains(&self, address: IpAddr) -> bool {
        let alike = |one: u128, other: u128, width: u32| {
            self.bits == 0 || (one ^ other) >> (width - self.bits.min(width)) == 0
        };
        match (self.address, address) {
            (IpAddr::V4(one), IpAddr::V4(other)) => alike(one.to_bits().into(), other.to_bits().into(), 32),
            (IpAddr::V6(one), IpAddr::V6(other)) => alike(one.to_bits(), other.to_bits(), 128),
            _ => false,
        }
    }
}

/// A subscriber has a whole /64 network of IPv6, so all of it counts as one client.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
        IpAddr::V4(_) => address,
    }
}

/// An address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().ok().or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(proxies: &str, peer: &str, forwarded: &[&str]) -> String {
        let proxies: TrustedProxies = proxies.parse().unwrap();
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(FORWARDED_FOR, value.parse().unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    /// Proves R078 for clients behind proxies.
    #[test]
    fn only_trusted_proxies_report_the_client() {
        let inside = "10.0.0.0/8 2001:db8::/32";
        for (proxies, peer, forwarded, expected) in [
            ("", "203.0.113.9", &["198.51.100.1"][..], "203.0.113.9"),
            (inside, "203.0.113.9", &["198.51.100.1"], "203.0.113.9"),
            (inside, "10.1.2.3", &[], "10.1.2.3"),
            (inside, "10.1.2.3", &["198.51.100.1"], "198.51.100.1"),
            (inside, "10.1.2.3", &["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
            (inside, "10.1.2.3", &["1.1.1.1", "198.51.100.1, 10.9.9.9"], "198.51.100.1"),
            (inside, "10.1.2.3", &["10.9.9.9"], "10.9.9.9"),
            (inside, "10.1.2.3", &["198.51.100.1, unknown"], "10.1.2.3"),
            (inside, "10.1.2.3", &["198.51.100.1:4711"], "198.51.100.1"),
            (inside, "10.1.2.3", &["[2001:db9::1]:4711"], "2001:db9::1"),
            (inside, "::ffff:10.1.2.3", &["198.51.100.1"], "198.51.100.1"),
            (inside, "2001:db8::1", &["2001:db9::1"], "2001:db9::1"),
            ("10.1.2.3", "10.1.2.4", &["198.51.100.1"], "10.1.2.4"),
            ("0.0.0.0/0", "10.1.2.4", &["198.51.100.1"], "198.51.100.1"),
        ] {
            assert_eq!(client(proxies, peer, forwarded), expected, "{peer} through {forwarded:?}");
        }
    }

    #[test]
    fn only_trusted_proxies_report_tls() {
        let proxies: TrustedProxies = "10.0.0.0/8".parse().unwrap();
        for (peer, header, expected) in [
            ("10.1.2.3", Some("https"), true),
            ("::ffff:10.1.2.3", Some("HTTPS, http"), true),
            ("10.1.2.3", Some("http"), false),
            ("10.1.2.3", None, false),
            ("203.0.113.9", Some("https"), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(FORWARDED_PROTO, header.parse().unwrap());
            }
            assert_eq!(proxies.used_tls(peer.parse().unwrap(), &headers), expected, "{peer} {header:?}");
        }
    }

    #[test]
    fn an_invalid_range_is_refused() {
        for wrong in ["10.0.0.0/33", "10.0.0", "proxy.internal", "10.0.0.0/8 x", "::/129", "10.0.0.0/-1"] {
            assert!(wrong.parse::<TrustedProxies>().is_err(), "{wrong}");
        }
        assert_eq!("10.0.0.1, ::1 10.0.0.0/8 ".parse::<TrustedProxies>().unwrap().0.len(), 3);
    }
}
