//! Connections: directly or through a proxy, with TLS.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderValue;
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::{Builder, Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

use super::HttpOptions;
use super::guarded::GuardedConnector;
use crate::web::Guard;

/// The time limit for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept open.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of a connection's read buffer, which also limit the head of a response. It would grow to 400 kB.
const MAX_READ_BUFFER: usize = 64 * 1024;

/// Which option is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpOptionsError {
    /// The proxy.
    Proxy,
    /// The file with certificates.
    CaFile,
}

impl fmt::Display for HttpOptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Proxy => {
                "must be a URL such as http://proxy.example:3128 or http://user:password@proxy.example:3128"
            }
            Self::CaFile => "must be a readable PEM file with at least one certificate",
        })
    }
}

/// Connections with TLS over those of a connector.
type Pool<C> = Box<Client<HttpsConnector<C>, Full<Bytes>>>;

/// The pools of connections.
#[derive(Clone)]
pub(super) enum Connections {
    /// To configured addresses: to this machine and, unless there is a proxy, to all others; and through the proxy.
    Configured { direct: Pool<HttpConnector>, proxied: Option<Pool<Tunnel<HttpConnector>>> },
    /// To addresses that users can influence: each connection is checked.
    Guarded(Pool<GuardedConnector>),
}

impl Connections {
    pub(super) fn new(options: &HttpOptions) -> Result<Self, HttpOptionsError> {
        let tls = tls(options.ca_file.as_deref())?;
        let builder =
            || HttpsConnectorBuilder::new().with_tls_config(tls.clone()).https_or_http().enable_http1();
        let direct = Box::new(pool().build(builder().wrap_connector(tcp())));
        let proxied = proxy(options)?.map(|tunnel| Box::new(pool().build(builder().wrap_connector(tunnel))));
        Ok(Self::Configured { direct, proxied })
    }

    pub(super) fn guarded(options: &HttpOptions, guard: Arc<Guard>) -> Result<Self, HttpOptionsError> {
        let connector = GuardedConnector { guard, tcp: tcp(), tunnel: proxy(options)? };
        let tls = tls(options.ca_file.as_deref())?;
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let client = pool().pool_max_idle_per_host(1).build(builder.wrap_connector(connector));
        Ok(Self::Guarded(Box::new(client)))
    }

    pub(super) async fn request(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Error> {
        match self {
            Self::Configured { proxied: Some(proxied), .. } if !is_this_machine(request.uri()) => {
                proxied.request(request).await
            }
            Self::Configured { direct, .. } => direct.request(request).await,
            Self::Guarded(client) => client.request(request).await,
        }
    }
}

/// Whether an address is on this machine.
pub(crate) fn is_this_machine(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || host.eq_ignore_ascii_case("localhost")
}

fn pool() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_idle_timeout(IDLE_TIMEOUT).pool_timer(TokioTimer::new()).http1_max_buf_size(MAX_READ_BUFFER);
    builder
}

fn tcp() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_connect_timeout(Some(CONNECT_TIMEOUT));
    connector.set_nodelay(true);
    connector
}

/// Trusts the Mozilla root certificates and those of the file.
fn tls(ca_file: Option<&Path>) -> Result<ClientConfig, HttpOptionsError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(file) = ca_file {
        let before = roots.len();
        let certificates = CertificateDer::pem_file_iter(file).map_err(|_| HttpOptionsError::CaFile)?;
        for certificate in certificates {
            let added = certificate.ok().and_then(|certificate| roots.add(certificate).ok());
            added.ok_or(HttpOptionsError::CaFile)?;
        }
        if roots.len() == before {
            return Err(HttpOptionsError::CaFile);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    // The provider supports the default versions of TLS.
    let config = config.map_err(|_| HttpOptionsError::CaFile)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

fn proxy(options: &HttpOptions) -> Result<Option<Tunnel<HttpConnector>>, HttpOptionsError> {
    options.proxy.as_deref().map(|url| tunnel(url).ok_or(HttpOptionsError::Proxy)).transpose()
}

/// A connector that opens a tunnel through the proxy (HTTP CONNECT), so that the proxy sees the host and nothing else.
fn tunnel(url: &str) -> Option<Tunnel<HttpConnector>> {
    let uri: Uri = url.trim().parse().ok()?;
    let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http"))?;
    let (login, address) = match authority.as_str().rsplit_once('@') {
        Some((login, address)) => (Some(login), address),
        None => (None, authority.as_str()),
    };
    if uri.host().is_none_or(str::is_empty) || !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return None;
    }
    let proxy: Uri = format!("http://{address}").parse().ok()?;
    let tunnel = Tunnel::new(proxy, tcp());
    let Some(login) = login else { return Some(tunnel) };
    let basic = format!("Basic {}", BASE64_STANDARD.encode(percent_decoded(login)?));
    Some(tunnel.with_auth(HeaderValue::try_from(basic).ok()?))
}

/// The bytes that percent-encoded text stands for.
fn percent_decoded(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_an_http_url_and_a_login_may_be_encoded() {
        for good in ["http://proxy:3128", "http://proxy.example:3128/", " http://user:pa%40ss@proxy:3128"] {
            assert!(tunnel(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "proxy:3128",
            "https://proxy",
            "socks5://proxy",
            "http://proxy/path",
            "http://proxy?a=b",
            "http://a:%zz@proxy",
        ] {
            assert!(tunnel(bad).is_none(), "{bad}");
        }
        assert_eq!(percent_decoded("user:pa%40ss").as_deref(), Some(b"user:pa@ss".as_slice()));
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert_eq!(tls(Some(&file)).err(), Some(HttpOptionsError::CaFile), "it does not exist");
        std::fs::write(&file, "hello").unwrap();
        assert_eq!(tls(Some(&file)).err(), Some(HttpOptionsError::CaFile), "it has no certificate");
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert_eq!(tls(Some(&file)).err(), Some(HttpOptionsError::CaFile), "its certificate is invalid");
    }
}
