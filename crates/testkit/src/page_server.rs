//! A web site on this machine: its pages are texts that a test sets, and it counts who asks for them.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

/// A web site with pages.
pub struct PageServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pages: HashMap<String, (u16, String)>,
    requests: Vec<String>,
    is_held: bool,
}

impl PageServer {
    /// Starts a site without pages.
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let served = shared.clone();
        // The thread ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = served.clone();
                std::thread::spawn(move || shared.answer(&stream));
            }
        });
        Self { address, shared }
    }

    /// The address of a page.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Host and port.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Sets a page of HTML.
    pub fn set(&self, path: &str, status: u16, html: &str) {
        let page = (status, html.to_owned());
        self.shared.state.lock().unwrap().pages.insert(path.to_owned(), page);
    }

    /// Sets an article with this title and text.
    pub fn set_article(&self, path: &str, title: &str, text: &str) {
        let paragraphs = text.replace("\n\n", "</p><p>");
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\
             <body><nav><a href=\"/\">Home</a></nav><article><h1>{title}</h1><p>{paragraphs}</p></article></body></html>"
        );
        self.set(path, 200, &html);
    }

    /// Lets every request wait for its response.
    pub fn hold(&self) {
        self.shared.state.lock().unwrap().is_held = true;
    }

    /// Ends [`PageServer::hold`].
    pub fn release(&self) {
        self.shared.state.lock().unwrap().is_held = false;
        self.shared.changed.notify_all();
    }

    /// How often a page was asked for.
    pub fn requests(&self, path: &str) -> usize {
        self.shared.state.lock().unwrap().requests.iter().filter(|asked| *asked == path).count()
    }

    /// Returns when a page has been asked for this often.
    pub fn wait_for_requests(&self, path: &str, count: usize) {
        let mut state = self.shared.state.lock().unwrap();
        while state.requests.iter().filter(|asked| *asked == path).count() < count {
            state = self.shared.changed.wait(state).unwrap();
        }
    }
}

impl Shared {
    fn answer(&self, stream: &TcpStream) {
        let Some(path) = path_of(stream) else { return };
        let mut state = self.state.lock().unwrap();
        state.requests.push(path.clone());
        self.changed.notify_all();
        while state.is_held {
            state = self.changed.wait(state).unwrap();
        }
        let missing = (404, String::new());
        let (status, html) = state.pages.get(&path).cloned().unwrap_or(missing);
        drop(state);
        // A client that is gone needs no response.
        let _ = write!(
            &mut &*stream,
            "HTTP/1.1 {status} Any\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{html}",
            html.len()
        );
    }
}

fn path_of(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut line = String::new();
    while reader.read_line(&mut line).ok()? > 0 && !line.trim().is_empty() {
        line.clear();
    }
    let target = first.split(' ').nth(1)?;
    Some(target.split('?').next().unwrap_or(target).to_owned())
}
