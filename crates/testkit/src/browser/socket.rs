//! Questions to the browser and its answers, one after another; what it tells in between is kept for whoever asks.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// A browser that is silent for longer is gone.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) struct Socket {
    stream: WebSocket<TcpStream>,
    questions: u64,
    told: Vec<Value>,
}

impl Socket {
    pub(super) fn connect(address: &str) -> Self {
        let host = address.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap();
        let stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        let (stream, _) = tungstenite::client(address, stream).unwrap();
        Self { stream, questions: 0, told: Vec::new() }
    }

    /// Asks, and waits for the answer: what it is, or why not.
    pub(super) fn command(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: &Value,
    ) -> Result<Value, String> {
        self.questions += 1;
        let id = self.questions;
        let mut question = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = session {
            question["sessionId"] = session.into();
        }
        self.stream.send(Message::text(question.to_string())).unwrap();
        loop {
            let mut message = self.read();
            if message["id"] != id {
                self.told.push(message);
            } else if message["error"].is_object() {
                return Err(format!("{method}: {}", message["error"]["message"]));
            } else {
                return Ok(message["result"].take());
            }
        }
    }

    /// Waits until it has told that, and says what it told.
    pub(super) fn wait_for_event(&mut self, method: &str) -> Value {
        loop {
            if let Some(place) = self.told.iter().rposition(|message| message["method"] == method) {
                return self.told.remove(place);
            }
            let message = self.read();
            self.told.push(message);
        }
    }

    /// Forgets that it was told, before something is done that makes it told again.
    pub(super) fn forget(&mut self, method: &str) {
        self.told.retain(|message| message["method"] != method);
    }

    /// All that was told so far.
    pub(super) fn events(&self) -> &[Value] {
        &self.told
    }

    fn read(&mut self) -> Value {
        loop {
            let message = self.stream.read().unwrap_or_else(|error| panic!("the browser is silent: {error}"));
            if let Message::Text(text) = message {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }
}
