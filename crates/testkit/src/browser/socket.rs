//! A connection to the browser: sends commands one at a time and keeps the events that arrive in between.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// How long to wait for a message of the browser.
const TIMEOUT: Duration = Duration::from_mins(1);

pub(super) struct Socket {
    stream: WebSocket<TcpStream>,
    last_id: u64,
    events: Vec<Value>,
}

impl Socket {
    pub(super) fn connect(address: &str) -> Self {
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.set_nodelay(true).unwrap();
        let (stream, _) = tungstenite::client(address, stream).unwrap();
        Self { stream, last_id: 0, events: Vec::new() }
    }

    /// Sends a command and waits for its result or its error message.
    pub(super) fn command(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: &Value,
    ) -> Result<Value, String> {
        self.last_id += 1;
        let id = self.last_id;
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        self.stream.send(Message::text(command.to_string())).unwrap();
        loop {
            let mut message = self.read();
            if message["id"] != id {
                self.events.push(message);
            } else if message["error"].is_object() {
                return Err(format!("{method}: {}", message["error"]["message"]));
            } else {
                return Ok(message["result"].take());
            }
        }
    }

    /// Waits for an event of this method and returns it.
    pub(super) fn wait_for_event(&mut self, method: &str) -> Value {
        loop {
            if let Some(index) = self.events.iter().rposition(|message| message["method"] == method) {
                return self.events.remove(index);
            }
            let message = self.read();
            self.events.push(message);
        }
    }

    /// Drops the events of this method, so that [`Socket::wait_for_event`] waits for a new one.
    pub(super) fn forget(&mut self, method: &str) {
        self.events.retain(|message| message["method"] != method);
    }

    /// All events so far.
    pub(super) fn events(&self) -> &[Value] {
        &self.events
    }

    fn read(&mut self) -> Value {
        loop {
            let message =
                self.stream.read().unwrap_or_else(|error| panic!("the browser does not answer: {error}"));
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }
}
