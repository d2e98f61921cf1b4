//! Which hosts an address that a user can influence may reach.
//!
//! A host is checked by its name before anything is sent, and by its addresses when a connection is made. The connection
//! goes to the addresses that were checked, so that a name which means another host a moment later changes nothing.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use quire_domain::link::{is_public, is_refused_host};
use url::{Host, Url};

use super::{AllowList, Resolver};

/// Why a host is not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostRefused {
    /// Only web pages are fetched.
    #[error("only http and https addresses are fetched")]
    Scheme,
    /// The port is not one of web servers.
    #[error("the address names port {0}; to allow it, add it to web.ports")]
    Port(u16),
    /// The name is one of a local network.
    #[error("the host name is one of a local network; to allow it, add the host to web.allow")]
    Name,
    /// The address, or one of the addresses of the name, is not public.
    #[error("the address leads to a private network; to allow it, add its host to web.allow")]
    Address,
    /// The name has no address, or nobody could tell.
    #[error("the host name could not be resolved; check the address")]
    Unresolved,
}

impl HostRefused {
    /// The refusal that an error of a connection was caused by.
    pub(crate) fn behind(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        let mut causes = std::iter::successors(Some(error), |error| error.source());
        causes.find_map(|cause| cause.downcast_ref::<Self>().copied())
    }
}

/// Decides which hosts may be reached.
pub struct Guard {
    allow: AllowList,
    ports: Vec<u16>,
    resolver: Arc<dyn Resolver>,
}

impl Guard {
    /// Allows public hosts on these ports, and what is listed.
    pub fn new(allow: AllowList, ports: Vec<u16>, resolver: Arc<dyn Resolver>) -> Self {
        Self { allow, ports, resolver }
    }

    /// Checks an address before anything is sent. A name is not resolved yet.
    pub fn check(&self, url: &Url) -> Result<(), HostRefused> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(HostRefused::Scheme);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_ip(address.into(), port),
            Some(Host::Ipv6(address)) => self.check_ip(address.into(), port),
            Some(Host::Domain(name)) => self.check_name(name, port),
            None => Err(HostRefused::Scheme),
        }
    }

    /// Checks an address also by what its name resolves to.
    pub async fn check_resolved(&self, url: &Url) -> Result<(), HostRefused> {
        self.check(url)?;
        let port = url.port_or_known_default().unwrap_or_default();
        self.addresses(url.host_str().unwrap_or_default(), port).await.map(drop)
    }

    /// The addresses to connect to, all of them checked.
    pub(crate) async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, HostRefused> {
        let literal = host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(address) = literal.parse::<IpAddr>() {
            self.check_ip(address, port)?;
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let name = host.to_ascii_lowercase();
        self.check_name(&name, port)?;
        let addresses = self.resolver.resolve(&name).await.map_err(|_| HostRefused::Unresolved)?;
        if addresses.is_empty() {
            return Err(HostRefused::Unresolved);
        }
        if !self.allow.has_name(&name, port) {
            addresses.iter().try_for_each(|address| self.check_ip(*address, port))?;
        }
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    fn check_name(&self, name: &str, port: u16) -> Result<(), HostRefused> {
        if self.allow.has_name(name, port) {
            return Ok(());
        }
        if is_refused_host(name) {
            return Err(HostRefused::Name);
        }
        // Its addresses may be listed with this port.
        Ok(())
    }

    fn check_ip(&self, address: IpAddr, port: u16) -> Result<(), HostRefused> {
        if self.allow.has_address(address, port) {
            return Ok(());
        }
        if !is_public(address) {
            return Err(HostRefused::Address);
        }
        if self.ports.contains(&port) { Ok(()) } else { Err(HostRefused::Port(port)) }
    }
}
