//! The open connections of a server. When there are too many, those that wait for their client give way.
//!
//! A client can keep a connection open without sending or reading anything. So a connection that does not work on a
//! request may be closed for a new one: first one of the address with the most connections, and of those the one whose
//! client has been silent for the longest time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::middleware::trusted_proxies::{TrustedProxies, network};

/// Connections beyond the limit, on which only health checks are answered.
const FOR_HEALTH_CHECKS: usize = 64;

/// How many connections a server keeps open, and how long it waits for their clients.
#[derive(Clone, Debug)]
pub struct ConnectionLimits {
    /// All connections.
    pub total: usize,
    /// Connections of one address. Trusted proxies have no limit of their own: each of their clients has.
    pub per_client: usize,
    /// How long a client may take for the head of a request, and how long it may pause while it sends a body or reads a
    /// response.
    pub client_timeout: Duration,
    /// The proxies in front of the server.
    pub proxies: TrustedProxies,
}

/// The open connections.
pub(super) struct Connections {
    limits: ConnectionLimits,
    started: Instant,
    open: Mutex<OpenConnections>,
}

#[derive(Default)]
struct OpenConnections {
    last_id: u64,
    by_address: HashMap<IpAddr, HashMap<u64, Arc<Connection>>>,
    total: usize,
    /// Those of the total that are for health checks.
    reserved: usize,
}

/// One connection.
pub(super) struct Connection {
    address: IpAddr,
    /// Whether it counts beyond the limit and answers health checks only.
    pub(super) is_reserved: bool,
    is_proxy: bool,
    /// Whether the server works on a request that has arrived.
    is_busy: AtomicBool,
    /// When the last byte was sent or received, in milliseconds after the start of the server.
    last_byte: AtomicU64,
    started: Instant,
    /// Closes the connection at once.
    pub(super) close: CancellationToken,
}

impl Connection {
    /// Records whether the server works on a request, and does not wait for the client.
    pub(super) fn set_busy(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::Relaxed);
    }

    /// Records that bytes were sent or received.
    pub(super) fn moved(&self) {
        self.last_byte.store(milliseconds(self.started), Ordering::Relaxed);
    }

    fn is_waiting(&self) -> bool {
        !self.is_busy.load(Ordering::Relaxed)
    }
}

/// An open connection in the list. Dropping it closes the connection and removes it.
pub(super) struct ConnectionEntry {
    id: u64,
    pub(super) connection: Arc<Connection>,
    connections: Arc<Connections>,
}

impl Drop for ConnectionEntry {
    fn drop(&mut self) {
        self.connection.close.cancel();
        self.connections.lock().remove(self.connection.address, self.id);
    }
}

impl Connections {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, started: Instant::now(), open: Mutex::default() })
    }

    /// Admits a new connection. None if the server is full and no other connection can give way.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionEntry> {
        let peer = peer.to_canonical();
        let (address, is_proxy) = (network(peer), self.limits.proxies.contain(peer));
        let mut open = self.lock();
        let has_reached_its_limit = !is_proxy && open.count(address) >= self.limits.per_client;
        if has_reached_its_limit && !open.close_one(Some(address)) {
            metrics::counter!("quire_connections_refused_total", "reason" => "address").increment(1);
            return None;
        }
        let is_full = open.total - open.reserved >= self.limits.total;
        let is_reserved = is_full && !open.close_one(None);
        if is_reserved && open.reserved >= FOR_HEALTH_CHECKS {
            metrics::counter!("quire_connections_refused_total", "reason" => "total").increment(1);
            return None;
        }
        let connection = Arc::new(Connection {
            address,
            is_reserved,
            is_proxy,
            is_busy: AtomicBool::new(false),
            last_byte: AtomicU64::new(milliseconds(self.started)),
            started: self.started,
            close: CancellationToken::new(),
        });
        let id = open.insert(connection.clone());
        Some(ConnectionEntry { id, connection, connections: self.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn count(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).map_or(0, HashMap::len)
    }

    fn insert(&mut self, connection: Arc<Connection>) -> u64 {
        self.last_id += 1;
        self.total += 1;
        self.reserved += usize::from(connection.is_reserved);
        self.by_address.entry(connection.address).or_default().insert(self.last_id, connection);
        self.last_id
    }

    /// Forgets a connection. One that was closed for another is forgotten already.
    fn remove(&mut self, address: IpAddr, id: u64) {
        let Some(of_address) = self.by_address.get_mut(&address) else { return };
        let Some(connection) = of_address.remove(&id) else { return };
        self.total -= 1;
        self.reserved -= usize::from(connection.is_reserved);
        if of_address.is_empty() {
            self.by_address.remove(&address);
        }
    }

    /// Closes a connection that waits for its client, of this address or of any. Returns whether there was one.
    fn close_one(&mut self, address: Option<IpAddr>) -> bool {
        let chosen = match address {
            Some(address) => self.by_address.get(&address).and_then(longest_silent),
            None => self.of_most_crowded_address(),
        };
        let Some((id, connection)) = chosen else { return false };
        connection.close.cancel();
        metrics::counter!("quire_connections_closed_for_others_total").increment(1);
        self.remove(connection.address, id);
        true
    }

    /// The longest silent connection of the address with the most, of those that have one.
    fn of_most_crowded_address(&self) -> Option<(u64, Arc<Connection>)> {
        let most = self.by_address.values().max_by_key(|connections| crowd(connections));
        // Usually the first one is enough; sorting all would cost time when there are many.
        most.and_then(longest_silent).or_else(|| {
            let mut all: Vec<_> = self.by_address.values().collect();
            all.sort_by_key(|connections| std::cmp::Reverse(crowd(connections)));
            all.into_iter().find_map(longest_silent)
        })
    }
}

/// How many connections an address has. Those of a proxy belong to many clients.
fn crowd(connections: &HashMap<u64, Arc<Connection>>) -> usize {
    if connections.values().next().is_some_and(|connection| connection.is_proxy) {
        0
    } else {
        connections.len()
    }
}

/// The connection that has waited for its client for the longest time.
fn longest_silent(connections: &HashMap<u64, Arc<Connection>>) -> Option<(u64, Arc<Connection>)> {
    let waiting =
        connections.iter().filter(|(_, connection)| !connection.is_reserved && connection.is_waiting());
    let longest = waiting.min_by_key(|(_, connection)| connection.last_byte.load(Ordering::Relaxed));
    longest.map(|(id, connection)| (*id, connection.clone()))
}

fn milliseconds(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(total: usize, per_client: usize) -> Arc<Connections> {
        let proxies = "10.0.0.1".parse().unwrap();
        Connections::new(ConnectionLimits {
            total,
            per_client,
            client_timeout: Duration::from_secs(30),
            proxies,
        })
    }

    fn is_closed(entry: &ConnectionEntry) -> bool {
        entry.connection.close.is_cancelled()
    }

    fn admit(connections: &Arc<Connections>, peer: &str) -> Option<ConnectionEntry> {
        connections.admit(peer.parse().unwrap())
    }

    #[test]
    fn a_full_server_closes_the_longest_silent_connection_of_the_most_crowded_address() {
        let connections = connections(4, 3);
        let quiet = admit(&connections, "192.0.2.9").unwrap();
        let crowd: Vec<_> = (0..3).map(|_| admit(&connections, "192.0.2.1").unwrap()).collect();
        crowd[0].connection.last_byte.store(7, Ordering::Relaxed);
        crowd[1].connection.last_byte.store(5, Ordering::Relaxed);
        crowd[2].connection.last_byte.store(6, Ordering::Relaxed);
        let newcomer = admit(&connections, "192.0.2.2").unwrap();
        assert_eq!([0, 1, 2].map(|at| is_closed(&crowd[at])), [false, true, false]);
        assert!(!is_closed(&quiet) && !is_closed(&newcomer) && !newcomer.connection.is_reserved);
        assert_eq!(connections.lock().total, 4);
        drop((quiet, crowd, newcomer));
        assert!(connections.lock().by_address.is_empty());
        assert_eq!(connections.lock().total, 0);
    }

    #[test]
    fn an_address_at_its_limit_closes_its_own_connections_only() {
        let connections = connections(100, 2);
        let other = admit(&connections, "192.0.2.9").unwrap();
        let first = admit(&connections, "2001:db8::1").unwrap();
        let second = admit(&connections, "2001:db8::2").unwrap();
        first.connection.set_busy(true);
        let third = admit(&connections, "2001:db8::3").unwrap();
        assert!(is_closed(&second), "one subscriber has a whole /64 network");
        assert!(!is_closed(&other) && !is_closed(&first));
        third.connection.set_busy(true);
        assert!(admit(&connections, "2001:db8::4").is_none(), "both work on a request");
        let proxied: Vec<_> = (0..10).map(|_| admit(&connections, "10.0.0.1").unwrap()).collect();
        assert!(proxied.iter().all(|entry| !is_closed(entry)), "a proxy has many clients");
    }

    #[test]
    fn while_all_connections_are_busy_the_next_ones_are_for_health_checks() {
        let connections = connections(2, 1000);
        let busy: Vec<_> = (0..2).map(|_| admit(&connections, "192.0.2.1").unwrap()).collect();
        for entry in &busy {
            entry.connection.set_busy(true);
        }
        let reserved: Vec<_> =
            (0..FOR_HEALTH_CHECKS).map(|_| admit(&connections, "192.0.2.2").unwrap()).collect();
        assert!(reserved.iter().all(|entry| entry.connection.is_reserved));
        assert!(admit(&connections, "192.0.2.2").is_none());
        drop(busy);
        assert!(!admit(&connections, "192.0.2.2").unwrap().connection.is_reserved);
    }
}
