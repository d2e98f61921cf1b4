//! Addresses that lead where links must not lead. No request of these tests may reach a server.

use quire_domain::link::NormalizedUrl;
use quire_ports::WebErrorKind;
use quire_testkit::{DnsServer, WebResponse, WebServer};

use super::{AllowList, read, reader_with, settings};

/// Addresses that are refused: as no web address at all, or by the guard. `{port}` is the port of a server on loopback.
const HOSTILE: &[&str] = &[
    // Loopback and unspecified, in all notations of IPv4.
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1/",
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://127.255.255.254/",
    "http://2130706433:{port}/",
    "http://0x7f000001:{port}/",
    "http://0x7f.0.0.1:{port}/",
    "http://0x7F.0x0.0x0.0x1:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://017700000001:{port}/",
    "http://0177.0.0.01:{port}/",
    "http://0000177.0.0.1:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://0:{port}/",
    "http://0.0.0.0:{port}/",
    "http://0x0:{port}/",
    "http://00000000000:{port}/",
    "http://%31%32%37.0.0.1:{port}/",
    "http://127.0.0.%31:{port}/",
    "http://１２７.０.０.１:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/",
    "http://127。0。0。1:{port}/",
    "http://127｡0｡0｡1:{port}/",
    // Loopback and other special addresses of IPv6, with IPv4 inside.
    "http://[::1]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[0000:0000::0001]:{port}/",
    "http://[::]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    "http://[::ffff:0:127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2001:db8::1]/",
    "http://[2a00:1450::5efe:7f00:1]/",
    "http://[3fff::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[::ffff:8.8.8.8]/",
    // Private, shared, link-local and reserved networks, services of clouds.
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://192.168.1.1:8080/",
    "http://100.64.0.1/",
    "http://100.100.100.200/latest/meta-data/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254.:80/",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    // Names of local networks.
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://ｌｏｃａｌｈｏｓｔ:{port}/",
    "http://local\u{ad}host:{port}/",
    "http://%6c%6f%63%61%6c%68%6f%73%74:{port}/",
    "http://a.localhost:{port}/",
    "http://localhost.localdomain/",
    "http://metadata/computeMetadata/v1/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://kubernetes.default.svc/",
    "http://printer.local/",
    "http://nas.lan/",
    "http://wiki.corp/",
    "http://router.home.arpa/",
    "http://a.test/",
    "http://a.invalid/",
    "http://redis:6379/",
    // Names that resolve to addresses which are not public, alone or among others.
    "http://loopback.example.com:8080/",
    "http://private.example.com/",
    "http://metadata.example.com/",
    "http://mixed.example.com/",
    "http://six.example.com/",
    "http://mapped.example.com/",
    "http://unspecified.example.com/",
    // Ports that are not those of web servers.
    "http://public.example.com:22/",
    "http://public.example.com:25/",
    "http://public.example.com:6379/",
    "http://8.8.8.8:53/",
    "https://8.8.8.8:{port}/",
    // User names, other schemes, and what programs read differently.
    "http://public.example.com@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@public.example.com/",
    "http://public.example.com:80@127.0.0.1/",
    "http://public.example.com\\@127.0.0.1:{port}/",
    "http://public.example.com:99999/",
    "http://127.0.0.1:{port}\\.example.com/",
    "http:127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "127.0.0.1:{port}",
    "file:///etc/passwd",
    "file://127.0.0.1/etc/passwd",
    "gopher://127.0.0.1:{port}/_GET",
    "ftp://127.0.0.1/",
    "dict://127.0.0.1:{port}/info",
    "ldap://127.0.0.1/",
    "jar:http://127.0.0.1!/",
    "data:text/html,hello",
    "javascript:fetch('http://127.0.0.1')",
    "http://127.0.0.1:{port}\r\nHost: public.example.com/",
    "http://127.0.0.1\t:{port}/",
    "http://127.0.0.1:{port}\u{0}.example.com/",
];

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

/// Proves R189: before any request.
#[tokio::test]
async fn no_hostile_address_is_reached() {
    assert!(HOSTILE.len() >= 120, "{}", HOSTILE.len());
    let server = WebServer::start(|_| WebResponse::html("reached"));
    let (reader, _, _) = reader_with(settings(), dns());
    for address in HOSTILE {
        let address = address.replace("{port}", &server.address.port().to_string());
        let Ok(url) = NormalizedUrl::parse(&address) else { continue };
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
