//! A web server that sends what a test plans: pages, redirects, wrong lengths, endless bodies. It records every request.

use std::io::{BufRead as _, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request that the server received.
#[derive(Clone, Debug)]
pub struct WebRequest {
    /// Its path with its query.
    pub path: String,
    /// Its headers, as they were sent.
    pub head: String,
}

impl WebRequest {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(':'));
        headers.find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// A response.
#[derive(Clone, Debug)]
pub struct WebResponse {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    Whole,
    /// The connection closes in the middle of the body.
    CutOff,
    /// The body never ends.
    Endless,
    /// Nothing is sent any more, and the connection stays open.
    Silent,
}

impl WebResponse {
    /// A page.
    pub fn html(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/html; charset=utf-8", body)
    }

    /// A response of a status and a type.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: body.into(), ending: Ending::Whole }
    }

    /// A redirect.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::new(status, "text/html", "").with("Location", location)
    }

    /// The same response with a header.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same response, whose connection closes before its end.
    #[must_use]
    pub fn cut_off(mut self) -> Self {
        self.ending = Ending::CutOff;
        self
    }

    /// The same response, whose body is repeated without end.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.ending = Ending::Endless;
        self
    }

    /// The same response, which stops after its head.
    #[must_use]
    pub fn silent(mut self) -> Self {
        self.ending = Ending::Silent;
        self
    }

    fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        write!(stream, "HTTP/1.1 {} Any\r\nConnection: close\r\n", self.status)?;
        for (name, value) in &self.headers {
            write!(stream, "{name}: {value}\r\n")?;
        }
        match self.ending {
            Ending::Whole => write!(stream, "Content-Length: {}\r\n\r\n", self.body.len())?,
            Ending::CutOff | Ending::Silent => {
                write!(stream, "Content-Length: {}\r\n\r\n", self.body.len() + 1000)?;
            }
            Ending::Endless => write!(stream, "\r\n")?,
        }
        match self.ending {
            Ending::Silent => {
                stream.flush()?;
                std::thread::sleep(Duration::from_mins(10));
            }
            Ending::Endless => loop {
                stream.write_all(&self.body)?;
            },
            _ => stream.write_all(&self.body)?,
        }
        stream.flush()
    }
}

/// The server. It runs until the process ends.
pub struct WebServer {
    /// Its address.
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<WebRequest>>>,
}

impl WebServer {
    /// Starts a server on loopback that chooses each response by its request.
    pub fn start(respond: impl Fn(&WebRequest) -> WebResponse + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let server = Self { address, requests: requests.clone() };
        let shared = Arc::new((respond, requests));
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let shared = shared.clone();
                std::thread::spawn(move || {
                    let Some(request) = read_request(&stream) else { return };
                    shared.1.lock().unwrap().push(request.clone());
                    let _ = (shared.0)(&request).send(&mut stream);
                });
            }
        });
        server
    }

    /// The address of a page, by the number of the host.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<WebRequest> {
        self.requests.lock().unwrap().clone()
    }

    /// The paths of the requests so far.
    pub fn paths(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.path).collect()
    }
}

fn read_request(stream: &TcpStream) -> Option<WebRequest> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let before = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        if head[before..].trim().is_empty() {
            break;
        }
    }
    let path = head.split(' ').nth(1)?.to_owned();
    Some(WebRequest { path, head })
}
