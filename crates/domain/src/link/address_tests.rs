use proptest::prelude::*;

use super::*;

fn normal(input: &str) -> String {
    NormalizedUrl::parse(input).unwrap_or_else(|error| panic!("{input}: {error}")).as_str().to_owned()
}

/// Proves R188.
#[test]
fn an_address_has_one_normal_form() {
    for (input, expected) in [
        ("HTTPS://Example.COM/Path/?b=2&utm_source=x&a=1#frag", "https://example.com/Path?a=1&b=2"),
        ("example.com", "http://example.com/"),
        ("  example.com\n", "http://example.com/"),
        ("//example.com/a", "http://example.com/a"),
        ("example.com:8080/a", "http://example.com:8080/a"),
        ("http://example.com:80/", "http://example.com:80/"),
        ("https://example.com:443", "https://example.com:443/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com/a/b/", "http://example.com/a/b"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/caf%c3%a9", "http://example.com/caf%C3%A9"),
        ("http://example.com/café", "http://example.com/caf%C3%A9"),
        ("http://example.com/%41%7e", "http://example.com/A~"),
        ("http://example.com/a%2Fb", "http://example.com/a%2Fb"),
        ("http://example.com/a b", "http://example.com/a%20b"),
        ("http://example.com/a:b", "http://example.com/a:b"),
        ("http://example.com/?b=&a", "http://example.com/?a=&b="),
        ("http://example.com/?q=a+b&q=A%20b", "http://example.com/?q=A+b&q=a+b"),
        ("http://example.com/?", "http://example.com/"),
        ("http://example.com/?UTM_Medium=x&GCLID=1&fbclid=2&utm_id=3", "http://example.com/?utm_id=3"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
    ] {
        assert_eq!(normal(input), expected, "{input}");
    }
}

/// Proves R188: parameters that are not valid UTF-8 stay different.
#[test]
fn two_searches_in_an_old_encoding_are_two_pages() {
    assert_ne!(normal("http://example.com/?q=%EF%F0"), normal("http://example.com/?q=%EC%E8"));
    assert_eq!(normal("http://example.com/?q=%EF%F0"), "http://example.com/?q=%EF%F0");
}

/// Proves R188.
#[test]
fn the_hash_is_the_sha_256_of_the_normal_form() {
    let hash = |input| NormalizedUrl::parse(input).unwrap().url_hash();
    assert_eq!(
        hash("example.com").as_str(),
        "2a1b402420ef46577471cdc7409b0fa2c6a204db316e59ade2d805435489a067"
    );
    assert_eq!(hash("http://example.com/?a=1&b=2"), hash("example.com?b=2&utm_term=z&a=1#top"));
    assert_ne!(hash("http://example.com/"), hash("https://example.com/"));
}

/// Proves R190.
#[test]
fn ordinary_words_in_an_address_are_accepted() {
    for input in [
        "https://en.wikipedia.org/wiki/TypeScript",
        "https://example.com/description?javascript=1",
        "https://example.com/data:text/file:1",
        "https://script.example.com/<script>",
        "https://example.com/mailto:me@example.com",
        "https://example.com/search?q=user@example.com",
    ] {
        assert!(NormalizedUrl::parse(input).is_ok(), "{input}");
    }
}

#[test]
fn addresses_that_are_no_web_pages_are_rejected_with_the_reason() {
    let scheme = |name: &str| InvalidUrl::Scheme(name.to_owned());
    for (input, reason) in [
        ("", InvalidUrl::Empty),
        ("  \n ", InvalidUrl::Empty),
        ("http://exa\u{0}mple.com/", InvalidUrl::ControlCharacter),
        ("http://example.com/a\nHost: b", InvalidUrl::ControlCharacter),
        ("http://exam\tple.com/", InvalidUrl::ControlCharacter),
        ("http://example.com/\u{85}", InvalidUrl::ControlCharacter),
        ("http://user@example.com/", InvalidUrl::UserInfo),
        ("http://user:password@example.com/", InvalidUrl::UserInfo),
        ("user:password@example.com", scheme("user")),
        ("http://example.com\\@127.0.0.1/", InvalidUrl::UserInfo),
        ("http://example.com\\.evil.example/", InvalidUrl::Malformed),
        ("file:///etc/passwd", scheme("file")),
        ("FTP://example.com/", scheme("ftp")),
        ("javascript:alert(1)", scheme("javascript")),
        ("data:text/html,hello", scheme("data")),
        ("ws://example.com/", scheme("ws")),
        ("mailto:me@example.com", scheme("mailto")),
        ("ssh://example.com", scheme("ssh")),
        ("gopher://example.com", scheme("gopher")),
        ("ldap://example.com", scheme("ldap")),
        ("view-source:http://example.com", scheme("view-source")),
        ("http:", InvalidUrl::Malformed),
        ("http://", InvalidUrl::Malformed),
        ("http:///example.com", InvalidUrl::Malformed),
        ("http:example.com", InvalidUrl::Malformed),
        ("http://exa mple.com/", InvalidUrl::Malformed),
        ("http://example.com:99999/", InvalidUrl::Malformed),
        ("http://[::1/", InvalidUrl::Malformed),
        ("http://1.2.3.4.5/", InvalidUrl::Malformed),
    ] {
        assert_eq!(NormalizedUrl::parse(input), Err(reason), "{input:?}");
    }
    let long = format!("http://example.com/{}", "a".repeat(2030));
    assert_eq!(NormalizedUrl::parse(&long), Err(InvalidUrl::TooLong(2049)));
    let grows = format!("http://example.com/{}", "é".repeat(400));
    assert_eq!(NormalizedUrl::parse(&grows), Err(InvalidUrl::TooLong(2419)), "its normal form is too long");
}

#[test]
fn the_fetched_address_is_what_was_sent_without_its_fragment() {
    let url = NormalizedUrl::parse("https://Example.com/a/?b=2&a=1&utm_source=x#part").unwrap();
    assert_eq!(url.address().as_str(), "https://example.com/a/?b=2&a=1&utm_source=x");
    assert_eq!(url.domain(), "example.com");
}

proptest! {
    /// Proves R188: the normal form is its own normal form.
    #[test]
    fn normalising_twice_changes_nothing(
        scheme in "(https?://|//|)", host in "[a-z]{1,8}\\.(com|de)(:[0-9]{1,4})?", path in "(/[ -~é]{0,8}){0,4}",
        query in "(\\?[ -~]{0,20})?",
    ) {
        let Ok(url) = NormalizedUrl::parse(&format!("{scheme}{host}{path}{query}")) else { return Ok(()) };
        let again = NormalizedUrl::parse(url.as_str()).unwrap();
        prop_assert_eq!(again.as_str(), url.as_str());
        prop_assert_eq!(again.url_hash(), url.url_hash());
    }

    #[test]
    fn any_text_is_an_address_or_an_error(input in "\\PC{0,80}") {
        if let Ok(url) = NormalizedUrl::parse(&input) {
            prop_assert!(matches!(url.address().scheme(), "http" | "https"));
            prop_assert!(url.address().username().is_empty() && url.address().fragment().is_none());
        }
    }

    /// Proves R188: neither the order of parameters nor tracking changes the hash.
    #[test]
    fn the_order_of_parameters_does_not_matter(
        mut parameters in prop::collection::vec("[a-c]{1,2}=[a-z0-9%]{0,4}", 0..6), seed: u64,
    ) {
        let hash = |parameters: &[String]| {
            NormalizedUrl::parse(&format!("http://example.com/?{}", parameters.join("&"))).unwrap().url_hash()
        };
        let before = hash(&parameters);
        parameters.push("utm_source=here".to_owned());
        let length = parameters.len() as u64;
        parameters.rotate_left(usize::try_from(seed % length).unwrap());
        prop_assert_eq!(hash(&parameters), before);
    }
}
