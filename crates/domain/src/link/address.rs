//! The address of a link: which addresses are accepted, and the normal form by which two of them are the same page.

use std::borrow::Cow;
use std::fmt;

use sha2::{Digest as _, Sha256};
use url::Url;

use super::percent;

/// The longest address, in characters, as it was sent and in its normal form.
pub const MAX_URL_CHARS: usize = 2048;

/// Query parameters that say where a visitor came from and never which page is meant.
const TRACKING_PARAMETERS: [&str; 7] =
    ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gclid", "fbclid"];

/// The bytes besides letters and digits that stand for themselves in a segment of a path (RFC 3986).
const PATH_BYTES: &[u8] = b"-._~!$&'()*+,;=:@";
/// The bytes besides letters and digits that stand for themselves in a query parameter.
const QUERY_BYTES: &[u8] = b"-._~";

/// Why an address is rejected. The message says what to send instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The messages say it.
pub enum InvalidUrl {
    #[error("the URL is empty; send one such as https://example.com/page")]
    Empty,
    #[error("the URL has {0} characters; the limit is {MAX_URL_CHARS}")]
    TooLong(usize),
    #[error("the URL contains a control character; remove it")]
    ControlCharacter,
    #[error("the URL contains a user name or password; remove it")]
    UserInfo,
    #[error("URLs of the scheme {0:?} are not supported; send an http or https URL")]
    Scheme(String),
    #[error("this is not a valid URL; send one such as https://example.com/page")]
    Malformed,
}

/// An address that was checked, with its normal form.
///
/// The normal form says whether two addresses are the same page. [`address`](Self::address) is what is fetched: what was
/// sent, without its fragment. They differ because a server may tell `/page/` from `/page`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NormalizedUrl {
    address: Url,
    normal: String,
}

impl NormalizedUrl {
    /// Checks an address and normalises it. Without a scheme it is an http address.
    pub fn parse(input: &str) -> Result<Self, InvalidUrl> {
        let input = input.trim_matches([' ', '\t', '\r', '\n']);
        if input.is_empty() {
            return Err(InvalidUrl::Empty);
        }
        check_length(input)?;
        if input.chars().any(char::is_control) {
            return Err(InvalidUrl::ControlCharacter);
        }
        let text = with_scheme(input)?;
        let authority = authority_of(&text);
        if authority.contains('@') {
            return Err(InvalidUrl::UserInfo);
        }
        // A backslash separates the path for browsers but not for other programs: no host that two read differently.
        if authority.is_empty() || authority.contains('\\') {
            return Err(InvalidUrl::Malformed);
        }
        let mut address = Url::parse(&text).map_err(|_| InvalidUrl::Malformed)?;
        if address.host_str().is_none_or(str::is_empty) || !address.username().is_empty() {
            return Err(InvalidUrl::Malformed);
        }
        address.set_fragment(None);
        let normal = normal_form(&address, names_port(authority));
        check_length(&normal)?;
        Ok(Self { address, normal })
    }

    /// The normal form.
    pub fn as_str(&self) -> &str {
        &self.normal
    }

    /// The address to fetch.
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// The host, in lower case.
    pub fn domain(&self) -> &str {
        self.address.host_str().unwrap_or_default()
    }

    /// The hash of the normal form.
    pub fn url_hash(&self) -> UrlHash {
        UrlHash(crate::hex(&Sha256::digest(self.normal.as_bytes())))
    }
}

impl fmt::Display for NormalizedUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.normal)
    }
}

/// The SHA-256 of a normal form, as 64 hexadecimal digits. Two requests with the same hash ask for the same page.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UrlHash(String);

impl UrlHash {
    /// The hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UrlHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check_length(text: &str) -> Result<(), InvalidUrl> {
    let chars = text.chars().count();
    if chars > MAX_URL_CHARS { Err(InvalidUrl::TooLong(chars)) } else { Ok(()) }
}

/// The address with its scheme, which must be http or https.
fn with_scheme(input: &str) -> Result<Cow<'_, str>, InvalidUrl> {
    if input.starts_with("//") {
        return Ok(Cow::Owned(format!("http:{input}")));
    }
    let without_scheme = || Ok(Cow::Owned(format!("http://{input}")));
    let Some((name, rest)) = input.split_once(':') else { return without_scheme() };
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || "+-.".contains(char));
    if !is_name {
        return without_scheme();
    }
    if ["http", "https"].iter().any(|scheme| name.eq_ignore_ascii_case(scheme)) {
        return if rest.starts_with("//") { Ok(Cow::Borrowed(input)) } else { Err(InvalidUrl::Malformed) };
    }
    // `example.com:8080/page` has no scheme but a port.
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) {
        return without_scheme();
    }
    Err(InvalidUrl::Scheme(name.chars().take(20).collect::<String>().to_ascii_lowercase()))
}

/// What stands between `//` and the path, as it was written.
fn authority_of(text: &str) -> &str {
    let rest = text.split_once("//").map_or(text, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Whether an authority names a port. A named default port is kept, as another address than one without.
fn names_port(authority: &str) -> bool {
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit())
}

fn normal_form(url: &Url, names_port: bool) -> String {
    let port = url.port_or_known_default().filter(|_| names_port);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let mut normal = format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default());
    let segments =
        url.path().split('/').map(|segment| percent::encode(&percent::decode(segment), PATH_BYTES));
    let path = segments.collect::<Vec<_>>().join("/");
    normal.push_str(match path.trim_end_matches('/') {
        "" => "/",
        path => path,
    });
    let query = normal_query(url.query().unwrap_or_default());
    if !query.is_empty() {
        normal.push('?');
        normal.push_str(&query);
    }
    normal
}

/// The parameters in order, without those for tracking. A parameter without a value is kept.
fn normal_query(query: &str) -> String {
    let decode = |text: &str| percent::decode(&text.replace('+', " "));
    let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
    let pairs = parameters.map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")));
    let mut pairs: Vec<_> = pairs.map(|(key, value)| (decode(key), decode(value))).collect();
    pairs.retain(|(key, _)| !is_tracking(key));
    pairs.sort();
    let encode = |bytes: &[u8]| percent::encode(bytes, QUERY_BYTES).replace("%20", "+");
    let pairs = pairs.iter().map(|(key, value)| format!("{}={}", encode(key), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn is_tracking(key: &[u8]) -> bool {
    TRACKING_PARAMETERS.iter().any(|name| key.eq_ignore_ascii_case(name.as_bytes()))
}

#[cfg(test)]
#[path = "address_tests.rs"]
mod tests;
