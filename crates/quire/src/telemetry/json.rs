//! Log lines as JSON, one object per line. The required keys are in every line, null if they do not apply.

use std::fmt::Debug;
use std::io::Write;

use jiff::Timestamp;
use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_appender::non_blocking::NonBlocking;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// The keys of every line; null where they do not apply.
const REQUIRED: [&str; 5] = ["document_id", "run_id", "step_name", "event_type", "error_code"];

/// A tracing layer that writes each event as one line of JSON.
pub struct JsonLines {
    sink: NonBlocking,
}

impl JsonLines {
    /// Writes to this sink.
    pub fn new(sink: NonBlocking) -> Self {
        Self { sink }
    }
}

impl<S: Subscriber> Layer<S> for JsonLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let line = fields.into_line(metadata.level().as_str(), metadata.target());
        // The sink never blocks: it buffers the line or counts it as dropped.
        let _ = self.sink.clone().write_all(&line);
    }
}

/// The fields of an event, collected while it is visited.
#[derive(Default)]
struct Fields {
    /// The time of the event, if it has its own; otherwise the current time is used.
    at: Option<String>,
    message: Option<String>,
    event_type: Option<String>,
    /// All other fields, already written as `,"name":value`.
    rest: Vec<u8>,
    seen: [bool; REQUIRED.len()],
}

impl Fields {
    fn into_line(self, level: &str, target: &str) -> Vec<u8> {
        let mut line = Vec::with_capacity(self.rest.len() + 256);
        line.extend_from_slice(b"{\"timestamp\":");
        write_json(&mut line, &self.at.unwrap_or_else(|| Timestamp::now().to_string()));
        put(&mut line, "level", level);
        put(&mut line, "target", target);
        // An engine event has no message; its type stands in for it.
        put(&mut line, "message", &self.message.or(self.event_type));
        line.extend_from_slice(&self.rest);
        for (name, _) in REQUIRED.iter().zip(self.seen).filter(|(_, seen)| !seen) {
            put(&mut line, name, &());
        }
        line.extend_from_slice(b"}\n");
        line
    }

    fn add(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        if let Some(place) = REQUIRED.iter().position(|required| *required == name) {
            self.seen[place] = true;
        }
        put(&mut self.rest, name, value);
    }

    fn add_text(&mut self, name: &str, text: &str) {
        match name {
            "at" => self.at = Some(text.to_owned()),
            "message" => self.message = Some(text.to_owned()),
            _ => {
                if name == "event_type" {
                    self.event_type = Some(text.to_owned());
                }
                self.add(name, text);
            }
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add_text(field.name(), value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add_text(field.name(), &format!("{value:?}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field.name(), &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field.name(), &value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field.name(), &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field.name(), &value);
    }
}

fn put(line: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    line.push(b',');
    write_json(line, name);
    line.push(b':');
    write_json(line, value);
}

fn write_json(line: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Text, numbers and null always serialize, and writing to a Vec cannot fail.
    let _ = serde_json::to_writer(line, value);
}
