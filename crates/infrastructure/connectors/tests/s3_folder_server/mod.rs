//! s3s-fs: a server that speaks the protocol of S3 over a folder. Unlike moto it checks the signature of each
//! request. Each test gets a server of its own.

use std::net::Ipv4Addr;

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use quire_testkit::object_services::TestContainer;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::objects::S3_KEY;

/// The secret that signs requests.
pub const SECRET: &str = "a secret of the tests";
const BUCKET: &str = "records";

/// A server with one empty bucket. It stops when it is dropped.
pub struct S3FolderServer {
    endpoint: String,
    accepting: JoinHandle<()>,
    _folder: TempDir,
}

impl S3FolderServer {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(BUCKET)).unwrap();
        let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single(S3_KEY, SECRET));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let accepting = tokio::spawn(accept(listener, builder.build()));
        Self { endpoint, accepting, _folder: folder }
    }

    /// Its bucket.
    pub fn bucket(&self) -> TestContainer {
        TestContainer { endpoint: self.endpoint.clone(), name: BUCKET.to_owned() }
    }
}

impl Drop for S3FolderServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, service: S3Service) {
    while let Ok((client, _)) = listener.accept().await {
        let connection = http1::Builder::new().serve_connection(TokioIo::new(client), service.clone());
        // A client that goes away is no concern of the server's.
        tokio::spawn(async move { drop(connection.await) });
    }
}
