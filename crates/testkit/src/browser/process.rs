//! The one Chromium of this process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

/// Names another program than the one on the search path.
const PROGRAM: &str = "QUIRE_TEST_CHROMIUM";

/// Starts the browser and ends it when the pipe to this process closes, however this process ends.
const KEEPER: &str = r#"
folder=$(mktemp -d)
"$@" --user-data-dir="$folder" </dev/null &
browser=$!
read -r _
kill "$browser"
wait "$browser"
rm -rf "$folder"
"#;

/// No sandbox of its own: tests run as root. The rest keeps it from talking to anybody but us.
const ARGUMENTS: [&str; 14] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
];

struct Running {
    address: String,
    _keeper: Child,
    _lifeline: Option<ChildStdin>,
}

static RUNNING: OnceLock<Running> = OnceLock::new();

/// Where the browser takes orders: `ws://127.0.0.1:PORT/…`.
pub(super) fn address() -> &'static str {
    &RUNNING.get_or_init(start).address
}

fn start() -> Running {
    let program = std::env::var(PROGRAM).unwrap_or_else(|_| "chromium".to_owned());
    let mut keeper = Command::new("sh")
        .args(["-c", KEEPER, "keeper", &program])
        .args(ARGUMENTS)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lifeline = keeper.stdin.take();
    let mut said = BufReader::new(keeper.stderr.take().unwrap());
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert!(
            said.read_line(&mut line).unwrap() > 0,
            "{program} did not start; `cargo xtask test` installs it, {PROGRAM} names another one"
        );
        if let Some(address) = line.trim().strip_prefix("DevTools listening on ") {
            break address.to_owned();
        }
    };
    // Whatever else it says is read, or it would one day wait for a reader.
    std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
    Running { address, _keeper: keeper, _lifeline: lifeline }
}
