//! A free local port for a server.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Result;

const FIRST: u16 = 20_000;
const COUNT: u16 = 12_000;

/// A port that nobody listens on, below the range for outgoing connections. A server that a drill restarts must find
/// its port free, and a client that retries meanwhile must not connect to itself.
pub fn free_port() -> Result<u16> {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.subsec_nanos());
    let offset = u16::try_from(nanos % u32::from(COUNT)).unwrap_or_default();
    (0..COUNT)
        .map(|step| FIRST + (offset + step) % COUNT)
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .ok_or_else(|| format!("no free port between {FIRST} and {}", FIRST + COUNT))
}
