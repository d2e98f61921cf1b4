//! Which hosts a fetched address may reach. A link that somebody sent must not reach the machine itself, its network or
//! the services of its cloud.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks that are not the public internet: private, shared, loopback, link-local, multicast, reserved, for
/// documentation or benchmarks, and relays (IANA's registry of special addresses). The last one is Azure's service for
/// its machines, which has an address of the public range.
const REFUSED_IPV4: [([u8; 4], u32); 18] = [
    ([0, 0, 0, 0], 8),
    ([10, 0, 0, 0], 8),
    ([100, 64, 0, 0], 10),
    ([127, 0, 0, 0], 8),
    ([169, 254, 0, 0], 16),
    ([172, 16, 0, 0], 12),
    ([192, 0, 0, 0], 24),
    ([192, 0, 2, 0], 24),
    ([192, 31, 196, 0], 24),
    ([192, 52, 193, 0], 24),
    ([192, 88, 99, 0], 24),
    ([192, 168, 0, 0], 16),
    ([198, 18, 0, 0], 15),
    ([198, 51, 100, 0], 24),
    ([203, 0, 113, 0], 24),
    ([224, 0, 0, 0], 4),
    ([240, 0, 0, 0], 4),
    ([168, 63, 129, 16], 32),
];

/// The parts of the public range of IPv6 that are special: protocols such as Teredo, documentation, 6to4.
const REFUSED_IPV6: [([u16; 8], u32); 4] = [
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
];

/// Ends of host names that never name a public host.
const REFUSED_SUFFIXES: [&str; 14] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "lan",
    "corp",
    "home",
    "home.arpa",
    "test",
    "invalid",
    "svc",
    "onion",
];

/// Whether an address is of the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_ipv4(address),
        IpAddr::V6(address) => is_public_ipv6(address),
    }
}

fn is_public_ipv4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    !REFUSED_IPV4.iter().any(|(network, length)| {
        let mask = u32::MAX << (32 - length);
        bits & mask == u32::from(Ipv4Addr::from(*network))
    })
}

/// Only addresses of `2000::/3` are public. This leaves out all that carry an IPv4 address in a prefix of their own:
/// mapped (`::ffff:0:0/96`), compatible (`::/96`) and translated (`64:ff9b::/96`) ones.
fn is_public_ipv6(address: Ipv6Addr) -> bool {
    let bits = u128::from(address);
    let is_within = |network: &[u16; 8], length: u32| {
        let mask = u128::MAX << (128 - length);
        bits & mask == u128::from(Ipv6Addr::from(*network))
    };
    // ISATAP puts an IPv4 address behind 0:5efe in any network.
    let is_isatap = matches!(address.segments()[4..6], [0 | 0x200, 0x5efe]);
    is_within(&[0x2000, 0, 0, 0, 0, 0, 0, 0], 3)
        && !is_isatap
        && !REFUSED_IPV6.iter().any(|(network, length)| is_within(network, *length))
}

/// Whether a host name is refused without asking who has it: it has no dot, so that it can only be a name of the local
/// network, or it ends like one. The name must be in lower case; a dot at its end is ignored.
pub fn is_refused_host(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let ends_with =
        |suffix: &&str| name.strip_suffix(*suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !name.contains('.') || REFUSED_SUFFIXES.iter().any(ends_with)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Proves R189 for addresses.
    #[test]
    fn addresses_outside_the_public_internet_are_told_apart() {
        let refused = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "100.100.100.200",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:0:4137::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2a00:1450::5efe:7f00:1",
            "2a00:1450::200:5efe:a00:1",
        ];
        for address in refused {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        let public = [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.17",
            "2606:4700:4700::1111",
            "2a00:1450:4001::200e",
            "2001:4860:4860::8888",
        ];
        for address in public {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    /// Proves R189 for names.
    #[test]
    fn names_of_local_networks_are_told_apart() {
        for name in [
            "localhost",
            "localhost.",
            "a.localhost",
            "localhost.localdomain",
            "printer.local",
            "metadata",
            "metadata.google.internal",
            "wiki.corp",
            "nas.lan",
            "a.test",
            "a.invalid",
            "redis",
            "router.home",
            "router.home.arpa",
            "api.default.svc",
            "api.default.svc.cluster.local",
            "intranet",
            "x.intranet",
            "",
            "hidden.onion",
        ] {
            assert!(is_refused_host(name), "{name}");
        }
        for name in
            ["example.com", "example.com.", "notlocal.com", "mylocalhost.com", "local.example", "a.lan.org"]
        {
            assert!(!is_refused_host(name), "{name}");
        }
    }

    proptest! {
        /// No form of IPv6 that carries an IPv4 address in a prefix of its own is public.
        #[test]
        fn an_embedded_ipv4_address_is_never_public(bits: u32) {
            let [a, b, c, d] = bits.to_be_bytes().map(u16::from);
            let (high, low) = (a << 8 | b, c << 8 | d);
            for segments in [
                [0, 0, 0, 0, 0, 0xffff, high, low],
                [0, 0, 0, 0, 0, 0, high, low],
                [0, 0, 0, 0, 0xffff, 0, high, low],
                [0x64, 0xff9b, 0, 0, 0, 0, high, low],
                [0x2002, high, low, 0, 0, 0, 0, 1],
                [0x2001, 0, 0, 0, 0, 0, high, low],
            ] {
                prop_assert!(!is_public(Ipv6Addr::from(segments).into()));
            }
        }
    }
}
