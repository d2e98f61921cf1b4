//! The Chromium process that all tests of this process share.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

/// The environment variable that names another program than `chromium`.
const PROGRAM: &str = "QUIRE_TEST_CHROMIUM";

/// A shell script that starts the browser and ends it when the pipe to this process closes, however this process ends.
const WRAPPER: &str = r#"
folder=$(mktemp -d)
"$@" --user-data-dir="$folder" </dev/null &
browser=$!
read -r _
kill "$browser"
wait "$browser"
rm -rf "$folder"
"#;

/// `--no-sandbox` because tests run as root. The other arguments stop the browser's own network traffic.
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

struct Browser {
    address: String,
    _wrapper: Child,
    _lifeline: Option<ChildStdin>,
}

static BROWSER: OnceLock<Browser> = OnceLock::new();

/// The address of the browser's `DevTools` socket: `ws://127.0.0.1:PORT/…`.
pub(super) fn address() -> &'static str {
    &BROWSER.get_or_init(start).address
}

fn start() -> Browser {
    let program = std::env::var(PROGRAM).unwrap_or_else(|_| "chromium".to_owned());
    let mut wrapper = Command::new("sh")
        .args(["-c", WRAPPER, "wrapper", &program])
        .args(ARGUMENTS)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lifeline = wrapper.stdin.take();
    let mut output = BufReader::new(wrapper.stderr.take().unwrap());
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert!(
            output.read_line(&mut line).unwrap() > 0,
            "{program} did not start; `cargo xtask test` installs it, {PROGRAM} names another one"
        );
        if let Some(address) = line.trim().strip_prefix("DevTools listening on ") {
            break address.to_owned();
        }
    };
    // Read the rest of its output, or the browser would block when the pipe is full.
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    Browser { address, _wrapper: wrapper, _lifeline: lifeline }
}
