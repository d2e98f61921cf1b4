//! Addresses that lead where links must not lead. No request of these tests may reach a server.

use quire_domain::link::NormalizedUrl;
use quire_ports::WebErrorKind;
use quire_testkit::{DnsServer, WebResponse, WebServer};

use super::{AllowList, read, reader_with, settings};

/// One test a line: the address is refused, as no web address at all or by the guard, and nothing is asked. `{port}` is the
/// port of a server on loopback.
macro_rules! hostile {
    ($($name:ident: $address:literal,)+) => {
        const HOSTILE: &[&str] = &[$($address),+];

        /// Proves R189: before any request.
        mod direct {
            $(#[tokio::test] async fn $name() { super::check_direct($address).await; })+
        }
    };
}

hostile! {
    // Loopback and unspecified, in all notations of IPv4.
    loopback_with_a_port: "http://127.0.0.1:{port}/",
    loopback: "http://127.0.0.1/",
    loopback_of_two_parts: "http://127.1:{port}/",
    loopback_of_three_parts: "http://127.0.1:{port}/",
    end_of_the_loopback_network: "http://127.255.255.254/",
    loopback_as_one_number: "http://2130706433:{port}/",
    loopback_as_one_hex_number: "http://0x7f000001:{port}/",
    loopback_with_a_hex_part: "http://0x7f.0.0.1:{port}/",
    loopback_of_hex_parts: "http://0x7F.0x0.0x0.0x1:{port}/",
    loopback_with_an_octal_part: "http://0177.0.0.1:{port}/",
    loopback_as_one_octal_number: "http://017700000001:{port}/",
    loopback_with_a_padded_octal_part: "http://0177.0.0.01:{port}/",
    loopback_with_leading_zeros: "http://0000177.0.0.1:{port}/",
    loopback_with_a_final_dot: "http://127.0.0.1.:{port}/",
    unspecified_as_zero: "http://0:{port}/",
    unspecified: "http://0.0.0.0:{port}/",
    unspecified_as_hex_zero: "http://0x0:{port}/",
    unspecified_as_octal_zero: "http://00000000000:{port}/",
    loopback_with_escaped_digits: "http://%31%32%37.0.0.1:{port}/",
    loopback_with_one_escaped_digit: "http://127.0.0.%31:{port}/",
    loopback_in_full_width_digits: "http://１２７.０.０.１:{port}/",
    loopback_in_circled_digits: "http://①②⑦.⓪.⓪.①:{port}/",
    loopback_with_ideographic_dots: "http://127。0。0。1:{port}/",
    loopback_with_half_width_ideographic_dots: "http://127｡0｡0｡1:{port}/",
    // Loopback and other special addresses of IPv6, with IPv4 inside.
    ipv6_loopback: "http://[::1]:{port}/",
    ipv6_loopback_in_full: "http://[0:0:0:0:0:0:0:1]:{port}/",
    ipv6_loopback_with_zeros: "http://[0000:0000::0001]:{port}/",
    ipv6_unspecified: "http://[::]:{port}/",
    ipv4_compatible_loopback: "http://[::127.0.0.1]:{port}/",
    ipv4_mapped_loopback: "http://[::ffff:127.0.0.1]:{port}/",
    ipv4_mapped_loopback_in_hex: "http://[::ffff:7f00:1]:{port}/",
    ipv4_mapped_loopback_in_full: "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    ipv4_translated_loopback: "http://[::ffff:0:127.0.0.1]:{port}/",
    nat64_of_loopback: "http://[64:ff9b::127.0.0.1]/",
    nat64_of_metadata: "http://[64:ff9b::a9fe:a9fe]/",
    local_nat64_of_loopback: "http://[64:ff9b:1::7f00:1]/",
    six_to_four_of_loopback: "http://[2002:7f00:1::]/",
    six_to_four_of_metadata: "http://[2002:a9fe:a9fe::1]/",
    teredo: "http://[2001:0:7f00:1::]/",
    ipv6_documentation: "http://[2001:db8::1]/",
    isatap_of_loopback: "http://[2a00:1450::5efe:7f00:1]/",
    ipv6_documentation_of_rfc_9637: "http://[3fff::1]/",
    unique_local_address: "http://[fc00::1]/",
    metadata_over_ipv6: "http://[fd00:ec2::254]/latest/meta-data/",
    ipv6_link_local: "http://[fe80::1]/",
    ipv6_link_local_with_a_zone: "http://[fe80::1%25eth0]/",
    ipv6_site_local: "http://[fec0::1]/",
    ipv6_multicast: "http://[ff02::1]/",
    ipv4_mapped_public_address: "http://[::ffff:8.8.8.8]/",
    // Private, shared, link-local and reserved networks, services of clouds.
    private_10: "http://10.0.0.1/",
    end_of_private_10: "http://10.255.255.255/",
    private_172: "http://172.16.0.1/",
    end_of_private_172: "http://172.31.255.255/",
    private_192: "http://192.168.0.1/",
    private_192_with_a_port: "http://192.168.1.1:8080/",
    shared_address: "http://100.64.0.1/",
    metadata_in_the_shared_network: "http://100.100.100.200/latest/meta-data/",
    metadata: "http://169.254.169.254/latest/meta-data/",
    metadata_with_a_final_dot: "http://169.254.169.254.:80/",
    metadata_as_one_hex_number: "http://0xa9fea9fe/",
    metadata_as_one_number: "http://2852039166/",
    metadata_in_octal: "http://0251.0376.0251.0376/",
    metadata_of_three_parts: "http://169.254.43518/",
    wire_server: "http://168.63.129.16/",
    metadata_of_oracle: "http://192.0.0.192/",
    documentation_1: "http://192.0.2.1/",
    six_to_four_relay: "http://192.88.99.1/",
    benchmark_network: "http://198.18.0.1/",
    documentation_2: "http://198.51.100.1/",
    documentation_3: "http://203.0.113.1/",
    multicast: "http://224.0.0.1/",
    reserved_network: "http://240.0.0.1/",
    broadcast: "http://255.255.255.255/",
    // Names of local networks.
    localhost: "http://localhost:{port}/",
    localhost_in_capitals: "http://LOCALHOST:{port}/",
    localhost_with_a_final_dot: "http://localhost.:{port}/",
    localhost_in_full_width_letters: "http://ｌｏｃａｌｈｏｓｔ:{port}/",
    localhost_with_a_soft_hyphen: "http://local\u{ad}host:{port}/",
    localhost_escaped: "http://%6c%6f%63%61%6c%68%6f%73%74:{port}/",
    name_below_localhost: "http://a.localhost:{port}/",
    localhost_localdomain: "http://localhost.localdomain/",
    metadata_by_a_bare_name: "http://metadata/computeMetadata/v1/",
    metadata_by_an_internal_name: "http://metadata.google.internal/computeMetadata/v1/",
    kubernetes_service: "http://kubernetes.default.svc/",
    name_of_mdns: "http://printer.local/",
    name_of_a_lan: "http://nas.lan/",
    name_of_a_company_network: "http://wiki.corp/",
    name_of_a_home_network: "http://router.home.arpa/",
    name_under_test: "http://a.test/",
    name_under_invalid: "http://a.invalid/",
    bare_name: "http://redis:6379/",
    // Names that resolve to addresses which are not public, alone or among others.
    name_of_loopback: "http://loopback.example.com:8080/",
    name_of_a_private_address: "http://private.example.com/",
    name_of_metadata: "http://metadata.example.com/",
    name_of_a_public_and_a_private_address: "http://mixed.example.com/",
    name_of_ipv6_loopback: "http://six.example.com/",
    name_of_a_mapped_address: "http://mapped.example.com/",
    name_of_the_unspecified_address: "http://unspecified.example.com/",
    // Ports that are not those of web servers.
    port_of_ssh: "http://public.example.com:22/",
    port_of_smtp: "http://public.example.com:25/",
    port_of_redis: "http://public.example.com:6379/",
    port_of_dns: "http://8.8.8.8:53/",
    any_other_port: "https://8.8.8.8:{port}/",
    // User names, other schemes, and what programs read differently.
    host_as_user_name: "http://public.example.com@127.0.0.1:{port}/",
    loopback_as_user_name: "http://127.0.0.1:{port}@public.example.com/",
    host_and_port_as_user_name: "http://public.example.com:80@127.0.0.1/",
    host_before_a_backslash: "http://public.example.com\\@127.0.0.1:{port}/",
    port_out_of_range: "http://public.example.com:99999/",
    backslash_behind_the_port: "http://127.0.0.1:{port}\\.example.com/",
    scheme_without_slashes: "http:127.0.0.1:{port}/",
    scheme_with_three_slashes: "http:///127.0.0.1:{port}/",
    no_scheme: "//127.0.0.1:{port}/",
    no_scheme_and_no_slashes: "127.0.0.1:{port}",
    file: "file:///etc/passwd",
    file_on_a_host: "file://127.0.0.1/etc/passwd",
    gopher: "gopher://127.0.0.1:{port}/_GET",
    ftp: "ftp://127.0.0.1/",
    dict: "dict://127.0.0.1:{port}/info",
    ldap: "ldap://127.0.0.1/",
    jar: "jar:http://127.0.0.1!/",
    data_url: "data:text/html,hello",
    javascript: "javascript:fetch('http://127.0.0.1')",
    line_break_behind_the_port: "http://127.0.0.1:{port}\r\nHost: public.example.com/",
    tab_behind_the_host: "http://127.0.0.1\t:{port}/",
    zero_byte_behind_the_port: "http://127.0.0.1:{port}\u{0}.example.com/",
}

fn dns() -> DnsServer {
    DnsServer::start(&[
        ("public.example.com", &["93.184.216.34"]),
        ("loopback.example.com", &["127.0.0.1"]),
        ("private.example.com", &["10.0.0.1"]),
        ("metadata.example.com", &["169.254.169.254"]),
        ("mixed.example.com", &["93.184.216.34 127.0.0.1"]),
        ("six.example.com", &["93.184.216.34 ::1"]),
        ("mapped.example.com", &["::ffff:127.0.0.1"]),
        ("unspecified.example.com", &["0.0.0.0"]),
    ])
}

async fn check_direct(address: &str) {
    let server = WebServer::start(|_| WebResponse::html("reached"));
    let (reader, _, _) = reader_with(settings(), dns());
    let address = address.replace("{port}", &server.address.port().to_string());
    if let Ok(url) = NormalizedUrl::parse(&address) {
        let failure =
            quire_ports::WebReader::read(&reader, &url, &super::CallContext::default()).await.unwrap_err();
        let code = WebErrorKind::AddressNotAllowed.as_str();
        assert_eq!(failure.error_code, code, "{address} became {url}: {}", failure.message);
        assert!(!failure.is_retryable, "{address}");
    }
    assert_eq!(server.paths(), Vec::<String>::new());
}

/// Proves R189: after a redirect.
#[tokio::test]
async fn no_redirect_reaches_a_hostile_address() {
    let target = WebServer::start(|_| WebResponse::html("reached"));
    let port = target.address.port();
    let locations: Vec<String> = HOSTILE
        .iter()
        .map(|address| address.replace("{port}", &port.to_string()))
        // A header has neither line breaks nor other control characters.
        .filter(|address| address.starts_with("http") && !address.contains(char::is_control))
        // Behind a backslash begins the path: such an address leads to a public host.
        .filter(|address| !address.contains('\\'))
        .chain([
            format!("//localhost:{port}/"),
            format!("http://localhost:{port}/"),
            "file:///etc/passwd".to_owned(),
        ])
        .collect();
    assert!(locations.len() >= 100, "{}", locations.len());
    let listed = locations.clone();
    let server = WebServer::start(move |request| {
        match request.path.trim_start_matches('/').parse::<usize>() {
            Ok(number) => {
                WebResponse::redirect(if number.is_multiple_of(2) { 302 } else { 307 }, &listed[number])
            }
            // `http:127.0.0.1` is a path of this server.
            Err(_) => WebResponse::new(404, "text/html", ""),
        }
    });
    let mut settings = settings();
    settings.allow = AllowList::parse(&server.address.to_string()).unwrap();
    let (reader, _, _) = reader_with(settings, dns());
    for (number, location) in locations.iter().enumerate() {
        let failure = read(&reader, &server.url(&format!("/{number}"))).await.unwrap_err();
        let codes = [WebErrorKind::AddressNotAllowed.as_str(), WebErrorKind::Refused.as_str()];
        assert!(codes.contains(&failure.error_code), "{location}: {failure:?}");
    }
    assert_eq!(target.paths(), Vec::<String>::new());
}

/// Proves R189: a name that is allowed when it is checked and private when it is used reaches nothing.
#[tokio::test]
async fn a_name_that_changes_its_address_reaches_only_what_was_checked() {
    let private = WebServer::start(|_| WebResponse::html("reached"));
    let mut settings = settings();
    // In place of a public host: an address on which nobody listens.
    settings.allow = AllowList::parse("127.0.0.2").unwrap();
    let rebinding = DnsServer::start(&[("rebind.example.com", &["127.0.0.2", "127.0.0.1"])]);
    let (reader, _, dns) = reader_with(settings, rebinding);
    let url = format!("http://rebind.example.com:{}/", private.address.port());
    let first = read(&reader, &url).await.unwrap_err();
    assert_eq!(first.error_code, WebErrorKind::Unavailable.as_str(), "{first:?}");
    assert_eq!(dns.questions("rebind.example.com"), 1, "the connection went to the address that was checked");
    let second = read(&reader, &url).await.unwrap_err();
    assert_eq!(second.error_code, WebErrorKind::AddressNotAllowed.as_str());
    assert_eq!(private.paths(), Vec::<String>::new());
}

/// Proves R189: each connection resolves and checks once, and goes to what was checked, although the name changes.
#[tokio::test]
async fn the_checked_address_is_the_one_that_is_used() {
    let server = WebServer::start(|_| WebResponse::html("The words of a page on an allowed host."));
    let mut settings = settings();
    settings.allow = AllowList::parse("127.0.0.1").unwrap();
    let dns = DnsServer::start(&[("wiki.example.com", &["127.0.0.1", "10.0.0.1"])]);
    let (reader, _, dns) = reader_with(settings, dns);
    let url = format!("http://wiki.example.com:{}/", server.address.port());
    let page = read(&reader, &url).await.unwrap();
    assert_eq!(page.final_url, url);
    assert_eq!(dns.questions("wiki.example.com"), 1);
    assert_eq!(
        server.requests()[0].header("host"),
        Some(url.trim_start_matches("http://").trim_end_matches('/'))
    );
    let refused = read(&reader, &url).await.unwrap_err();
    assert_eq!(refused.error_code, WebErrorKind::AddressNotAllowed.as_str());
}

#[tokio::test]
async fn hosts_of_the_list_are_reached_by_name_address_and_port() {
    let server = WebServer::start(|_| WebResponse::html("The words of a page on an allowed host."));
    let port = server.address.port();
    for (allow, host, is_reached) in [
        ("wiki.corp".to_owned(), "wiki.corp", true),
        (".corp".to_owned(), "wiki.corp", true),
        (format!("wiki.corp:{port}"), "wiki.corp", true),
        ("wiki.corp:1".to_owned(), "wiki.corp", false),
        ("127.0.0.0/8".to_owned(), "wiki.corp", false),
        ("127.0.0.0/8".to_owned(), "127.0.0.1", true),
        ("127.0.0.0/8".to_owned(), "public.example.com", true),
        ("localhost".to_owned(), "127.0.0.1", false),
        ("10.0.0.0/8".to_owned(), "127.0.0.1", false),
    ] {
        let mut settings = settings();
        settings.allow = AllowList::parse(&allow).unwrap();
        let dns = DnsServer::start(&[("wiki.corp", &["127.0.0.1"]), ("public.example.com", &["127.0.0.1"])]);
        let (reader, _, _) = reader_with(settings, dns);
        let read = read(&reader, &format!("http://{host}:{port}/")).await;
        assert_eq!(read.is_ok(), is_reached, "{allow} {host} {read:?}");
    }
}
