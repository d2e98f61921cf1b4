//! A connection pooler, PgBouncer, in front of the server of the tests.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::str::FromStr;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;

use super::url;

/// A running PgBouncer. Dropping it kills it.
pub struct Pooler {
    process: Child,
    folder: std::path::PathBuf,
    port: u16,
}

impl Pooler {
    /// Starts it with these settings, such as `pool_mode = session`, and waits until it accepts connections.
    pub async fn start(settings: &str) -> Self {
        let server = PgConnectOptions::from_str(&url()).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = std::env::temp_dir().join(format!("quire-pooler-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let password = password(&url()).map(|password| format!(" password={password}")).unwrap_or_default();
        let config = format!(
            "[databases]\n* = host={} port={} user={}{password}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\n{settings}\n",
            server.get_host(),
            server.get_port(),
            server.get_username(),
        );
        let file = folder.join("pgbouncer.ini");
        std::fs::write(&file, config).unwrap();
        let mut command = Command::new("pgbouncer");
        // It refuses to run as root.
        if std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
            command.args(["--user", "nobody"]);
        }
        let process = command.arg(&file).stdin(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = process.expect("pgbouncer cannot run; `cargo xtask test` installs it");
        let pooler = Self { process, folder, port };
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        pooler
    }

    /// The URL of the tests' database through this pooler.
    pub fn url(&self) -> String {
        let server = PgConnectOptions::from_str(&url()).unwrap();
        let database = server.get_database().unwrap_or(server.get_username()).to_owned();
        format!("postgres://{}@127.0.0.1:{}/{database}", server.get_username(), self.port)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn password(url: &str) -> Option<&str> {
    let (credentials, _) = url.split_once("://")?.1.rsplit_once('@')?;
    credentials.split_once(':').map(|(_, password)| password)
}
