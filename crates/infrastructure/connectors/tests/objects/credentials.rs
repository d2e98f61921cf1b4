//! What is sent to a service beside the content: keys with which it is to encrypt, a signature, the token of a machine's
//! identity. A small server keeps objects, and returns one only to whom names the key that it was stored with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use quire_connectors::blob::ObjectBlobs;
use quire_connectors::blob::object::{
    AzureCredential, AzureSettings, ObjectLocation, Repetition, S3Encryption, S3Keys, S3Settings,
};
use quire_connectors::http::HttpOptions;
use quire_ports::BlobStore as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// 32 bytes in Base64, and the MD5 and the SHA-256 of these bytes.
const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const KEY_MD5: &str = "tP/LI3N87DFaSk0aoqYgzg==";
const KEY_SHA256: &str = "Yw3NKWbEM2aRElRIu7JbT/QSpJxzLbLIq8G4WBvXEN0=";

/// The head of a request: its first line, and its headers with names in lower case.
#[derive(Clone, Debug, Default)]
struct Head {
    line: String,
    headers: HashMap<String, String>,
}

impl Head {
    fn get(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The key that the service is to use.
    fn key(&self) -> Option<&str> {
        self.get("x-amz-server-side-encryption-customer-key").or_else(|| self.get("x-ms-encryption-key"))
    }
}

#[derive(Default)]
struct Objects {
    stored: HashMap<String, (Vec<u8>, Option<String>)>,
    requests: Vec<Head>,
}

/// A service of objects, with the address where a machine asks for its token.
struct ObjectServer {
    address: String,
    objects: Arc<Mutex<Objects>>,
}

impl ObjectServer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let objects = Arc::<Mutex<Objects>>::default();
        let shared = objects.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, shared.clone()));
            }
        });
        Self { address, objects }
    }

    /// The requests with this method.
    fn requests(&self, method: &str) -> Vec<Head> {
        let objects = self.objects.lock().unwrap();
        objects.requests.iter().filter(|head| head.line.starts_with(method)).cloned().collect()
    }
}

async fn serve(mut client: TcpStream, objects: Arc<Mutex<Objects>>) {
    let mut received = Vec::new();
    let end = loop {
        if let Some(end) = received.windows(4).position(|part| part == b"\r\n\r\n") {
            break end + 4;
        }
        if client.read_buf(&mut received).await.unwrap_or(0) == 0 {
            return;
        }
    };
    let text = String::from_utf8(received[..end].to_vec()).unwrap();
    let mut lines = text.lines();
    let line = lines.next().unwrap_or_default().to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let head = Head { line, headers };
    let length: usize = head.get("content-length").map_or(0, |length| length.parse().unwrap());
    while received.len() < end + length {
        if client.read_buf(&mut received).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let (status, body) = answer(&mut objects.lock().unwrap(), &head, &received[end..]);
    let head = format!(
        "HTTP/1.1 {status} Any\r\nETag: \"1\"\r\nLast-Modified: Tue, 03 Mar 2026 10:00:00 GMT\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    let _ = client.write_all(&[head.as_bytes(), &body].concat()).await;
}

fn answer(objects: &mut Objects, head: &Head, content: &[u8]) -> (u16, Vec<u8>) {
    objects.requests.push(head.clone());
    let mut words = head.line.split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let path = target.split('?').next().unwrap().to_owned();
    if path.starts_with("/token") {
        let token = r#"{"access_token": "token-of-the-machine", "expires_on": "4102444800"}"#;
        return (200, token.as_bytes().to_vec());
    }
    if method == "PUT" {
        objects.stored.insert(path, (content.to_vec(), head.key().map(str::to_owned)));
        return (201, Vec::new());
    }
    match objects.stored.get(&path) {
        Some((content, key)) if key.as_deref() == head.key() => (200, content.clone()),
        Some(_) => (400, Vec::new()),
        None => (404, Vec::new()),
    }
}

fn location() -> ObjectLocation {
    ObjectLocation { container: "records".to_owned(), prefix: String::new() }
}

fn s3(server: &ObjectServer, encryption: S3Encryption) -> ObjectBlobs {
    let settings = S3Settings {
        region: "us-east-1".to_owned(),
        endpoint: Some(server.address.clone()),
        is_virtual_hosted: false,
        keys: Some(S3Keys {
            id: "id".to_owned(),
            secret: "secret".to_owned(),
            session_token: Some("session".to_owned()),
        }),
        encryption,
    };
    ObjectBlobs::s3(&location(), &settings, &HttpOptions::default(), Repetition::Never).unwrap()
}

fn azure(server: &ObjectServer, credential: AzureCredential, encryption_key: Option<&str>) -> ObjectBlobs {
    let settings = AzureSettings {
        account: "acme".to_owned(),
        endpoint: Some(server.address.clone()),
        credential,
        encryption_key: encryption_key.map(str::to_owned),
    };
    ObjectBlobs::azure(&location(), &settings, &HttpOptions::default(), Repetition::Never).unwrap()
}

/// Writes a file, in one piece and by a writer, and reads it.
async fn store_and_read(blobs: &ObjectBlobs) {
    blobs.put("a/file", b"abc".to_vec()).await.unwrap();
    assert_eq!(blobs.get("a/file", 10).await.unwrap(), b"abc");
    let mut other = blobs.begin("a/other").await.unwrap();
    other.write(b"abcd").await.unwrap();
    other.finish().await.unwrap();
    assert_eq!(blobs.get("a/other", 10).await.unwrap(), b"abcd");
}

fn assert_each_has(requests: &[Head], headers: &[(&str, &str)]) {
    assert!(!requests.is_empty());
    for request in requests {
        for (name, value) in headers {
            assert_eq!(request.get(name), Some(*value), "{name}: {request:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_key_goes_to_s3_with_every_object_and_nothing_is_read_without_it() {
    let server = ObjectServer::start().await;
    let blobs = s3(&server, S3Encryption::Customer(KEY.to_owned()));
    store_and_read(&blobs).await;
    let expected = [
        ("x-amz-server-side-encryption-customer-algorithm", "AES256"),
        ("x-amz-server-side-encryption-customer-key", KEY),
        ("x-amz-server-side-encryption-customer-key-md5", KEY_MD5),
        ("x-amz-security-token", "session"),
    ];
    for method in ["PUT", "GET"] {
        assert_each_has(&server.requests(method), &expected);
    }
    assert!(s3(&server, S3Encryption::Bucket).get("a/file", 10).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_the_key_service_is_named_to_s3() {
    for (encryption, kind, key) in [
        (S3Encryption::S3, "AES256", None),
        (S3Encryption::Kms(Some("a-key".to_owned())), "aws:kms", Some("a-key")),
        (S3Encryption::Kms(None), "aws:kms", None),
        (S3Encryption::DoubleKms(Some("a-key".to_owned())), "aws:kms:dsse", Some("a-key")),
    ] {
        let server = ObjectServer::start().await;
        store_and_read(&s3(&server, encryption)).await;
        let written = server.requests("PUT");
        assert_each_has(&written, &[("x-amz-server-side-encryption", kind)]);
        let named = written.iter().map(|head| head.get("x-amz-server-side-encryption-aws-kms-key-id"));
        assert!(named.into_iter().all(|named| named == key), "{written:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_key_goes_to_azure_with_every_object_and_nothing_is_read_without_it() {
    let server = ObjectServer::start().await;
    let signature = || AzureCredential::Sas("?sv=2024-11-04&sig=a%3D".to_owned());
    store_and_read(&azure(&server, signature(), Some(KEY))).await;
    let expected = [
        ("x-ms-encryption-algorithm", "AES256"),
        ("x-ms-encryption-key", KEY),
        ("x-ms-encryption-key-sha256", KEY_SHA256),
    ];
    for method in ["PUT", "GET"] {
        assert_each_has(&server.requests(method), &expected);
    }
    assert!(azure(&server, signature(), None).get("a/file", 10).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_access_signature_is_part_of_every_address() {
    let server = ObjectServer::start().await;
    store_and_read(&azure(&server, AzureCredential::Sas("?sv=2024-11-04&sig=a%3D".to_owned()), None)).await;
    for request in server.requests("") {
        assert!(request.line.contains("sv=2024-11-04") && request.line.contains("sig=a%3D"), "{request:?}");
        assert_eq!(request.get("authorization"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_the_machine_is_asked_for_once_and_sent_with_every_request() {
    let server = ObjectServer::start().await;
    let identity = AzureCredential::ManagedIdentity {
        client: Some("a-client".to_owned()),
        endpoint: Some(format!("{}/token", server.address)),
    };
    store_and_read(&azure(&server, identity, None)).await;
    let (asked, used): (Vec<_>, Vec<_>) =
        server.requests("").into_iter().partition(|head| head.line.contains("/token"));
    let [asked] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(asked.get("metadata"), Some("true"));
    assert!(
        asked.line.contains("client_id=a-client") && asked.line.contains("storage.azure.com"),
        "{asked:?}"
    );
    assert_each_has(&used, &[("authorization", "Bearer token-of-the-machine")]);
}
