//! TLS with a certificate of a private authority, which openssl makes.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// A certificate for `localhost` and its authority.
#[derive(Clone)]
pub(super) struct Certificate {
    folder: Arc<tempfile::TempDir>,
    config: Arc<ServerConfig>,
}

impl Certificate {
    pub(super) fn create() -> Self {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), "ca", &["-addext", "basicConstraints=critical,CA:TRUE"]);
        let leaf = ["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "basicConstraints=critical,CA:FALSE"];
        let name = ["-addext", "subjectAltName=DNS:localhost"];
        make(folder.path(), "server", &[leaf.as_slice(), &name].concat());
        let certificate = CertificateDer::from_pem_file(folder.path().join("server.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(folder.path().join("server.key")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        Self { folder: Arc::new(folder), config: Arc::new(config) }
    }

    pub(super) fn ca_file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    pub(super) fn accept(&self, stream: TcpStream) -> StreamOwned<ServerConnection, TcpStream> {
        StreamOwned::new(ServerConnection::new(self.config.clone()).unwrap(), stream)
    }
}

fn make(folder: &Path, name: &str, arguments: &[&str]) {
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-subj",
            &format!("/CN={name}"),
            "-keyout",
            &format!("{name}.key"),
            "-out",
            &format!("{name}.pem"),
        ])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("openssl runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}
