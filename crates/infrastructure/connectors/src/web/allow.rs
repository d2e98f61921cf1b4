//! The list of hosts in private networks that links may lead to.

use std::fmt;
use std::net::IpAddr;

/// Hosts, addresses and ranges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowList {
    entries: Vec<AllowedHost>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct AllowedHost {
    host: Host,
    /// Without one, every port.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Name(String),
    /// All names below one, with its leading dot.
    Below(String),
    Range {
        network: IpAddr,
        length: u32,
    },
}

/// An entry that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidEntry(String);

impl fmt::Display for InvalidEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "has the entry {:?}; use a host (wiki.example.corp), names below one (.example.corp), an address or a range \
             (10.1.0.0/16), each also with a port (127.0.0.1:8000)",
            self.0
        )
    }
}

impl AllowList {
    /// Entries separated by white space or commas.
    pub fn parse(text: &str) -> Result<Self, InvalidEntry> {
        let words = text.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty());
        let entries = words.map(|word| entry(word).ok_or_else(|| InvalidEntry(word.to_owned())));
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// Whether a host name is listed. Its addresses then do not matter. The name must be in lower case.
    pub(super) fn has_name(&self, name: &str, port: u16) -> bool {
        let name = name.strip_suffix('.').unwrap_or(name);
        self.entries.iter().any(|entry| {
            entry.has_port(port)
                && match &entry.host {
                    Host::Name(listed) => listed == name,
                    Host::Below(suffix) => name.len() > suffix.len() && name.ends_with(suffix.as_str()),
                    Host::Range { .. } => false,
                }
        })
    }

    /// Whether an address is listed.
    pub(super) fn has_address(&self, address: IpAddr, port: u16) -> bool {
        self.entries.iter().any(|entry| {
            entry.has_port(port)
                && matches!(&entry.host, Host::Range { network, length } if is_within(address, *network, *length))
        })
    }
}

impl AllowedHost {
    fn has_port(&self, port: u16) -> bool {
        self.port.is_none_or(|listed| listed == port)
    }
}

fn entry(word: &str) -> Option<AllowedHost> {
    let any_port = |host| Some(AllowedHost { host, port: None });
    if let Some(host) = range(word) {
        return any_port(host);
    }
    if let Some((host, port)) = word.rsplit_once(':') {
        let port = Some(port.parse().ok().filter(|port| *port > 0)?);
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let host = range(host).or_else(|| name(host))?;
        return Some(AllowedHost { host, port });
    }
    any_port(name(word)?)
}

fn range(word: &str) -> Option<Host> {
    let (network, length) =
        word.split_once('/').map_or((word, None), |(network, length)| (network, Some(length)));
    let network: IpAddr = network.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
    let longest = if network.is_ipv4() { 32 } else { 128 };
    let length =
        length.map_or(Some(longest), |length| length.parse().ok().filter(|length| *length <= longest))?;
    Some(Host::Range { network, length })
}

fn name(word: &str) -> Option<Host> {
    let name = word.to_ascii_lowercase();
    let labels = name.strip_prefix('.').unwrap_or(&name);
    let is_label = |label: &str| {
        !label.is_empty()
            && label.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_'))
    };
    // An address that is cut short is no name.
    let is_number = labels.chars().all(|char| char.is_ascii_digit() || char == '.');
    if is_number || !labels.split('.').all(is_label) {
        return None;
    }
    Some(if name.starts_with('.') { Host::Below(name) } else { Host::Name(name) })
}

fn is_within(address: IpAddr, network: IpAddr, length: u32) -> bool {
    match (address, network) {
        (IpAddr::V4(address), IpAddr::V4(network)) => {
            let mask = u32::MAX.checked_shl(32 - length).unwrap_or(0);
            u32::from(address) & mask == u32::from(network) & mask
        }
        (IpAddr::V6(address), IpAddr::V6(network)) => {
            let mask = u128::MAX.checked_shl(128 - length).unwrap_or(0);
            u128::from(address) & mask == u128::from(network) & mask
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_suffixes_addresses_and_ranges_are_listed_with_and_without_a_port() {
        let list =
            AllowList::parse("wiki.corp, .lan 10.1.0.0/16\n127.0.0.1:8000 [fd00::]/8 [::1]:80 Host_1:81")
                .unwrap();
        let name = |name, port| list.has_name(name, port);
        assert!(name("wiki.corp", 80) && name("wiki.corp.", 9) && !name("a.wiki.corp", 80));
        assert!(name("nas.lan", 80) && name("a.b.lan", 80) && !name("lan", 80) && !name("xlan", 80));
        assert!(name("host_1", 81) && !name("host_1", 80));
        let address = |address: &str, port| list.has_address(address.parse().unwrap(), port);
        assert!(address("10.1.2.3", 1) && !address("10.2.0.0", 1));
        assert!(address("127.0.0.1", 8000) && !address("127.0.0.1", 8001) && !address("127.0.0.2", 8000));
        assert!(address("fd12::1", 443) && address("::1", 80) && !address("::1", 81));
        assert!(!address("::ffff:10.1.2.3", 80), "another form of an address is another address");
        assert!(AllowList::parse("0.0.0.0/0").unwrap().has_address("8.8.8.8".parse().unwrap(), 1));
    }

    #[test]
    fn what_is_no_entry_is_refused() {
        for wrong in [
            "10.1.0.0/33",
            "10.1",
            "http://wiki.corp",
            "wiki..corp",
            "wiki.corp:0",
            "wiki.corp:http",
            "a/8",
            "*.corp",
            ".",
        ] {
            assert_eq!(AllowList::parse(wrong), Err(InvalidEntry(wrong.to_owned())), "{wrong}");
        }
        assert_eq!(AllowList::parse("  "), Ok(AllowList::default()));
    }
}
