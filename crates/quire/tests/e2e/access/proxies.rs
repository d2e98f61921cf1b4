//! The configurations of nginx and Caddy in the guide, run with the real programs.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use super::upload;
use crate::program::{Cli, TestServer};
use crate::test_env::{TestEnv, wait_until};

const GUIDE: &str = include_str!("../../../../../docs/guide/proxies.md");

/// The block of the guide in this language.
fn block(language: &str) -> &'static str {
    let start = format!("```{language}\n");
    GUIDE.split(&start).nth(1).and_then(|rest| rest.split("```").next()).unwrap()
}

/// A running proxy. Dropping it kills it.
struct Proxy {
    process: Child,
    url: String,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

async fn start(mut command: Command, port: u16) -> Proxy {
    let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let proxy = Proxy { process, url: format!("https://127.0.0.1:{port}") };
    wait_until(async || curl(&["-o", "/dev/null", &format!("{}/health", proxy.url)]).is_some()).await;
    proxy
}

async fn nginx(cli: &Cli, server: &TestServer) -> Proxy {
    let (port, folder) = (free_port(), cli.path("nginx"));
    std::fs::create_dir(&folder).unwrap();
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=records.example"])
        .args([std::ffi::OsStr::new("-keyout"), key.as_os_str(), "-out".as_ref(), certificate.as_os_str()])
        .stderr(Stdio::null())
        .status();
    assert!(made.unwrap().success());
    let site = block("nginx")
        .replace("listen 443 ssl", &format!("listen 127.0.0.1:{port} ssl"))
        .replace("/etc/ssl/certs/records.example.pem", certificate.to_str().unwrap())
        .replace("/etc/ssl/private/records.example.key", key.to_str().unwrap())
        .replace("127.0.0.1:8080", &server.address);
    let here = folder.display();
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {here}/{kind};"))
        .join("\n");
    let config = format!(
        "daemon off;\nuser root;\npid {here}/pid;\nerror_log {here}/error.log;\nevents {{}}\n\
         http {{\naccess_log off;\n{paths}\n{site}}}\n"
    );
    std::fs::write(folder.join("nginx.conf"), config).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-c").arg(folder.join("nginx.conf")).arg("-p").arg(&folder);
    start(command, port).await
}

async fn caddy(cli: &Cli, server: &TestServer) -> Proxy {
    let (port, folder) = (free_port(), cli.path("caddy"));
    std::fs::create_dir(&folder).unwrap();
    let site = block("caddyfile")
        .replace("records.example {", &format!("https://127.0.0.1:{port} {{\n\ttls internal"))
        .replace("127.0.0.1:8080", &server.address);
    let options = "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n";
    std::fs::write(folder.join("Caddyfile"), format!("{options}{site}")).unwrap();
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
    command.env("XDG_DATA_HOME", &folder).env("XDG_CONFIG_HOME", &folder).env("HOME", &folder);
    start(command, port).await
}

/// The output of curl, if it succeeds.
fn curl(arguments: &[&str]) -> Option<String> {
    let output = Command::new("curl").args(["-sSkN", "--max-time", "60"]).args(arguments).output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

async fn assert_serves(env: &TestEnv, proxy: &Proxy, server: TestServer) {
    let key = env.create_key("alma", "read,operate");
    let (url, bearer) = (&proxy.url, key.trim_end());
    let status = |arguments: &[&str]| {
        curl(&[&["-o", "/dev/null", "-w", "%{http_code}"][..], arguments].concat()).unwrap()
    };
    wait_until(async || status(&[&format!("{url}/documents")]) == "401").await;
    assert_eq!(status(&["-H", bearer, &format!("{url}/documents")]), "200");

    let large = env.cli.path("large.txt");
    std::fs::write(&large, "El paciente come bien y duerme toda la noche.\n".repeat(200_000)).unwrap();
    let form = format!("file=@{}", large.display());
    assert_eq!(status(&["-H", bearer, "-F", &form, &format!("{url}/documents/upload")]), "201", "9 MB pass");

    let secret = bearer.rsplit(' ').next().unwrap();
    let login = curl(&["-i", "-d", &format!("key={secret}"), &format!("{url}/app/login")]).unwrap();
    assert!(login.to_lowercase().contains("samesite=strict; secure"), "{login}");

    // The first message arrives although the stream does not end.
    let mut events = Command::new("curl")
        .args(["-sSkN", "-H", bearer, &format!("{url}/events")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 5];
    std::io::Read::read_exact(events.stdout.as_mut().unwrap(), &mut first).unwrap();
    assert_eq!(&first, b"event");
    events.kill().unwrap();
    events.wait().unwrap();

    let guess =
        ["-H", "Authorization: Bearer guess", "-H", "X-Forwarded-For: 9.9.9.9", &format!("{url}/documents")];
    assert_eq!(status(&guess), "401");
    let log = server.stop().stderr;
    let refused = log.lines().find(|line| line.contains("credential refused")).unwrap();
    assert!(refused.contains("127.0.0.1") && !refused.contains("9.9.9.9"), "{refused}");
}

fn environment() -> TestEnv {
    TestEnv::on_sqlite(&[
        ("QUIRE_SERVER_TRUSTED_PROXIES", "127.0.0.1"),
        ("QUIRE_UPLOADS_PROCESSING", "false"),
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_with_the_configuration_of_the_guide_serves_everything() {
    let env = environment();
    let server = env.cli.serve();
    let proxy = nginx(&env.cli, &server).await;
    assert_serves(&env, &proxy, server).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn caddy_with_the_configuration_of_the_guide_serves_everything() {
    let env = environment();
    let server = env.cli.serve();
    let proxy = caddy(&env.cli, &server).await;
    assert_serves(&env, &proxy, server).await;
}

#[test]
fn a_server_beyond_loopback_without_a_proxy_warns() {
    let env = TestEnv::on_sqlite(&super::NO_PROCESSING);
    env.create_key("alma", "read");
    let log = env.cli.serve_on("0.0.0.0:0").stop().stderr;
    assert!(log.contains("unencrypted") && log.contains("trusted_proxies"), "{log}");
    let env = env.with("QUIRE_SERVER_TRUSTED_PROXIES", "10.0.0.2");
    for listen in ["0.0.0.0:0", "127.0.0.1:0"] {
        let log = env.cli.serve_on(listen).stop().stderr;
        assert!(!log.contains("unencrypted"), "{listen}: {log}");
    }
    let server = env.cli.serve();
    assert_eq!(upload(&server, "").status, 401);
}
