//! Azurite (Azure Blob Storage) and moto (S3), which nobody here wrote. `cargo xtask test` starts them. Each test gets a
//! container of its own; a test that stops the service gets a server of its own.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use uuid::Uuid;

/// The account of every Azurite.
pub const AZURITE_ACCOUNT: &str = "devstoreaccount1";
/// Its key, which is public.
pub const AZURITE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
const AZURITE_URL: &str = "QUIRE_TEST_AZURITE_URL";
const AZURITE_PROGRAM: &str = "QUIRE_TEST_AZURITE_PROGRAM";
const S3_URL: &str = "QUIRE_TEST_S3_URL";
const PATIENCE: Duration = Duration::from_mins(1);

/// A container or bucket of a test's own.
#[derive(Clone, Debug)]
pub struct TestContainer {
    /// The address of the service: for Azurite with the account, as `storage.azure.endpoint` wants it.
    pub endpoint: String,
    /// Its name.
    pub name: String,
}

impl TestContainer {
    /// The connection string of an Azurite.
    pub fn connection_string(&self) -> String {
        let endpoint = &self.endpoint;
        format!("AccountName={AZURITE_ACCOUNT};AccountKey={AZURITE_KEY};BlobEndpoint={endpoint};")
    }
}

/// An empty container of the shared Azurite.
pub async fn azure_container() -> TestContainer {
    let endpoint = variable(AZURITE_URL);
    let name = new_name();
    create_azure_container(&endpoint, &name).await;
    TestContainer { endpoint, name }
}

/// An empty bucket of the shared moto.
pub async fn s3_bucket() -> TestContainer {
    let endpoint = variable(S3_URL);
    let name = new_name();
    let request = format!("PUT /{name} HTTP/1.1\r\nHost: {}\r\n", host_of(&endpoint));
    let answer = send(&endpoint, &request).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    TestContainer { endpoint, name }
}

/// An Azurite that a test may stop. Its containers survive a restart.
pub struct AzuriteServer {
    folder: TempDir,
    port: u16,
    process: Option<Child>,
}

impl AzuriteServer {
    /// Starts a server.
    pub async fn start() -> Self {
        // A port below those of outgoing connections would be safer, but the server of a test lives for seconds.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let mut server = Self { folder: tempfile::tempdir().unwrap(), port, process: None };
        server.resume().await;
        server
    }

    /// An empty container.
    pub async fn container(&self) -> TestContainer {
        let (endpoint, name) = (self.endpoint(), new_name());
        create_azure_container(&endpoint, &name).await;
        TestContainer { endpoint, name }
    }

    /// Its address, with the account.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}/{AZURITE_ACCOUNT}", self.port)
    }

    /// Stops the server. It answers nothing until it is resumed. It is not killed: it keeps its lists of objects in memory for
    /// seconds, and stores them when it is told to stop.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            Command::new("kill").arg(process.id().to_string()).status().unwrap();
            process.wait().unwrap();
        }
    }

    /// Flips a bit in the middle of a stored file of this content. The server must be stopped.
    pub fn damage(&self, content: &[u8]) {
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let mut stored = std::fs::read(&path).unwrap();
                let place = stored.windows(content.len()).position(|part| part == content);
                if let Some(place) = place {
                    stored[place + content.len() / 2] ^= 1;
                    return std::fs::write(&path, stored).unwrap();
                }
            }
        }
        panic!("the server has no such file");
    }

    /// Starts it again on the same port, with what it has stored.
    pub async fn resume(&mut self) {
        let process = Command::new("node")
            .arg(variable(AZURITE_PROGRAM))
            .args(["--blobHost", "127.0.0.1", "--blobPort", &self.port.to_string()])
            .args(["--silent", "--disableTelemetry", "--skipApiVersionCheck", "--location"])
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.process = Some(process);
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n", host_of(&self.endpoint()));
        let answers = async {
            while send(&self.endpoint(), &request).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, answers).await.expect("Azurite starts");
    }
}

impl Drop for AzuriteServer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set; run `cargo xtask test`, which starts a server"))
}

fn new_name() -> String {
    format!("test-{}", Uuid::now_v7())
}

/// Host and port of an address.
fn host_of(endpoint: &str) -> &str {
    let rest = endpoint.split_once("://").unwrap().1;
    rest.split_once('/').map_or(rest, |(host, _)| host)
}

async fn create_azure_container(endpoint: &str, name: &str) {
    const VERSION: &str = "2021-08-06";
    let date =
        jiff::fmt::rfc2822::DateTimePrinter::new().timestamp_to_rfc9110_string(&Timestamp::now()).unwrap();
    let signed = format!(
        "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:{date}\nx-ms-version:{VERSION}\n\
         /{AZURITE_ACCOUNT}/{AZURITE_ACCOUNT}/{name}\nrestype:container"
    );
    let key = BASE64_STANDARD.decode(AZURITE_KEY).unwrap();
    let signature = BASE64_STANDARD.encode(hmac_sha256(&key, signed.as_bytes()));
    let request = format!(
        "PUT /{AZURITE_ACCOUNT}/{name}?restype=container HTTP/1.1\r\nHost: {}\r\nx-ms-date: {date}\r\nx-ms-version: \
         {VERSION}\r\nAuthorization: SharedKey {AZURITE_ACCOUNT}:{signature}\r\n",
        host_of(endpoint)
    );
    let answer = send(endpoint, &request).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
}

/// Sends a request without a body. Returns the whole response.
async fn send(endpoint: &str, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(host_of(endpoint)).await?;
    let request = format!("{request}Content-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// HMAC of RFC 2104. The key is at most a block long.
fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    const BLOCK: usize = 64;
    let padded = |pad: u8| -> Vec<u8> {
        (0..BLOCK).map(|at| key.get(at).copied().unwrap_or_default() ^ pad).collect()
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    /// The second test case of RFC 4231.
    #[test]
    fn the_hmac_is_that_of_the_standard() {
        let hmac = super::hmac_sha256(b"Jefe", b"what do ya want for nothing?");
        assert_eq!(quire_domain::hex(&hmac[..8]), "5bdcc146bf60754e");
    }
}
