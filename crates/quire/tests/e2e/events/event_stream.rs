//! A client of server-sent events.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::program::TestServer;

/// A test that waits longer fails.
const TIMEOUT: Duration = Duration::from_mins(2);

/// An open connection to `/events`.
pub struct EventStream {
    stream: BufReader<TcpStream>,
    /// The head of the response.
    pub head: String,
}

/// A server-sent event.
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

impl EventStream {
    /// Opens a stream with these additional headers.
    pub fn connect(server: &TestServer, path: &str, headers: &str) -> Self {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        // HTTP/1.0 has no chunked encoding, so only messages follow the head.
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n{headers}\r\n").unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0, "no response: {head}");
        }
        Self { stream, head: head.to_lowercase() }
    }

    /// Opens a stream of the events after this id. Returns it with its first message, `ready`.
    pub fn after(server: &TestServer, id: Option<&str>) -> (Self, Message) {
        let headers = id.map_or(String::new(), |id| format!("Last-Event-ID: {id}\r\n"));
        let mut stream = Self::connect(server, "/events", &headers);
        assert!(stream.head.contains(" 200 ok"), "{}", stream.head);
        let ready = stream.next().unwrap();
        assert_eq!(ready.event, "ready");
        (stream, ready)
    }

    /// The next message; `None` if the connection is closed.
    pub fn next(&mut self) -> Option<Message> {
        let mut message = Message::default();
        loop {
            let mut line = String::new();
            // A killed server resets its connections.
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

    /// The position in the next keep-alive comment.
    pub fn next_keep_alive(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "the stream was closed");
            if line == "\n" && lines.iter().any(|line: &String| line.starts_with(": ")) {
                let id = lines.iter().find_map(|line| line.strip_prefix("id: "));
                return id.expect("an id").trim_end().to_owned();
            }
            lines.push(line);
        }
    }

    /// Messages up to and including the first one that matches.
    pub fn until(&mut self, last: impl Fn(&Message) -> bool) -> Vec<Message> {
        let mut messages = Vec::new();
        loop {
            messages.push(self.next().expect("the stream was closed"));
            if messages.last().is_some_and(&last) {
                return messages;
            }
        }
    }
}
