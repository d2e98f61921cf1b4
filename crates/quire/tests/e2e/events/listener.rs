//! A client of server-sent events, by hand.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::program::Server;

/// A test that waits longer has failed.
const MOST_PATIENCE: Duration = Duration::from_mins(2);

/// A connection that stays.
pub struct Listener {
    stream: BufReader<TcpStream>,
    /// The head of the answer.
    pub head: String,
}

/// One message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    pub id: String,
    pub event: String,
    pub data: String,
    pub retry: String,
}

impl Message {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }
}

impl Listener {
    /// Asks for that with these further lines in the head.
    pub fn connect(server: &Server, path: &str, head: &str) -> Self {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(MOST_PATIENCE)).unwrap();
        // HTTP/1.0 has no chunks: what follows the head is the messages alone.
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n{head}\r\n").unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0, "no answer: {head}");
        }
        Self { stream, head: head.to_lowercase() }
    }

    /// A listener that is told what comes after that id, and where it is.
    pub fn after(server: &Server, id: Option<&str>) -> (Self, Message) {
        let head = id.map_or(String::new(), |id| format!("Last-Event-ID: {id}\r\n"));
        let mut listener = Self::connect(server, "/events", &head);
        assert!(listener.head.contains(" 200 ok"), "{}", listener.head);
        let ready = listener.next().unwrap();
        assert_eq!(ready.event, "ready");
        (listener, ready)
    }

    /// The next message; nothing when the server is gone.
    pub fn next(&mut self) -> Option<Message> {
        let mut message = Message::default();
        loop {
            let mut line = String::new();
            // A server that was killed resets its connections.
            if self.stream.read_line(&mut line).unwrap_or_default() == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", id)) => id.clone_into(&mut message.id),
                Some(("event", event)) => event.clone_into(&mut message.event),
                Some(("data", data)) => data.clone_into(&mut message.data),
                Some(("retry", retry)) => retry.clone_into(&mut message.retry),
                None if line == "\n" && !message.data.is_empty() => return Some(message),
                _ => {}
            }
        }
    }

    /// Where the next comment without an event says that this client is.
    pub fn sign_of_life(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "the server goes on");
            if line == "\n" && lines.iter().any(|line: &String| line.starts_with(": ")) {
                let id = lines.iter().find_map(|line| line.strip_prefix("id: "));
                return id.expect("a place").trim_end().to_owned();
            }
            lines.push(line);
        }
    }

    /// Messages up to and with the one that this holds for.
    pub fn until(&mut self, last: impl Fn(&Message) -> bool) -> Vec<Message> {
        let mut messages = Vec::new();
        loop {
            messages.push(self.next().expect("the server goes on"));
            if messages.last().is_some_and(&last) {
                return messages;
            }
        }
    }
}
