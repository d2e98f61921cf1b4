//! `quire process`: folders in, fields out, whatever happens in between.

mod ends;
mod formats;
mod guide;
mod killing;
mod misuse;
mod mixed;
mod retrying;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

use quire_domain::{EventId, EventType};
use quire_ports::{EventFilter, Store};
use quire_sqlite::{Options, SqliteStore};
use quire_testkit::documents::{Pdf, text_page};
use serde_json::Value;

use crate::program::Quire;

/// The program with small parsers.
fn quire() -> Quire {
    Quire::new().with("QUIRE_READING_MEMORY_MB", "512")
}

/// A record of one page about a patient of that name.
fn record(name: &str) -> Vec<u8> {
    let patient = format!("Paciente: {name}");
    let page = text_page(&[
        "Clínica Veterinaria de Prueba",
        &patient,
        "Especie: Felina",
        "Visita 12/03/2023",
        "Peso: 4,2 kg",
        "Motivo de consulta: vómitos desde hace dos días, come poco y duerme mucho.",
        "Tratamiento: dieta blanda y una pastilla cada veinticuatro horas durante una semana.",
    ]);
    Pdf::of_pages(&[page]).file()
}

/// Writes so many different records into the folder `in`, and answers the names of their results.
fn with_records(quire: &Quire, count: usize) -> Vec<String> {
    std::fs::create_dir_all(quire.path("in")).unwrap();
    let name = |number: usize| format!("in/{number:02}.pdf");
    for number in 0..count {
        std::fs::write(quire.path(&name(number)), record(&patient(number))).unwrap();
    }
    (0..count).map(name).collect()
}

/// A name of letters alone.
fn patient(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit).unwrap());
    format!("Luna{}{}", letter(number / 10), letter(number % 10))
}

/// Results by the names of their files; no file has two.
fn by_file(text: &str) -> BTreeMap<String, Value> {
    let mut results = BTreeMap::new();
    for line in text.lines() {
        let result: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let file = result["file"].as_str().unwrap().to_owned();
        assert!(results.insert(file, result).is_none(), "twice: {line}");
    }
    results
}

/// The value of a key of the document.
fn value<'r>(result: &'r Value, key: &str) -> &'r Value {
    let fields = result["fields"].as_array().unwrap();
    let field = fields.iter().find(|field| field["key"] == key && field.get("visit_id").is_none());
    &field.unwrap_or_else(|| panic!("{key} is missing: {result}"))["value"]
}

/// The program while it works, whose output is read as it comes.
struct Working {
    child: Child,
    /// Until nobody reads it any more.
    out: Option<BufReader<ChildStdout>>,
}

impl Working {
    fn start(quire: &Quire, arguments: &[&str]) -> Self {
        let mut command = quire.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = child.stdout.take().map(BufReader::new);
        Self { child, out }
    }

    /// Waits for so many results.
    fn lines(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            assert!(self.out.as_mut().unwrap().read_line(&mut text).unwrap() > 0, "it ended after {text}");
        }
        text
    }

    /// How it ended, and what it said about that.
    fn end(&mut self) -> (Option<i32>, String) {
        let mut told = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        (self.child.wait().unwrap().code(), told)
    }

    fn signal(&self, name: &str) {
        let sent = std::process::Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the state knows.
fn state(folder: &Path) -> Store {
    SqliteStore::open(&folder.join("quire.db"), Options::default()).unwrap().into_store()
}

/// How often that has happened.
async fn happened(folder: PathBuf, event: EventType) -> usize {
    let events = state(&folder).history.events(EventId(0), EventFilter::default(), 100_000).await.unwrap();
    events.iter().filter(|recorded| recorded.event.event_type == event).count()
}
