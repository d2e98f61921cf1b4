//! `quire process`.

mod formats;
mod guide;
mod interruptions;
mod mixed_folder;
mod output_errors;
mod retry_failed;
mod usage_errors;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

use quire_domain::{EventId, EventType};
use quire_ports::{EventFilter, Store};
use quire_sqlite::{SqliteOptions, SqliteStore};
use serde_json::Value;

use crate::program::Cli;
use crate::record::pdf;

/// The command line with small parsers.
fn small_cli() -> Cli {
    Cli::new().with("QUIRE_READING_MEMORY_MB", "512")
}

/// A PDF of one page about a patient with this name.
fn record(name: &str) -> Vec<u8> {
    let patient = format!("Paciente: {name}");
    pdf(&[
        "Clínica Veterinaria de Prueba",
        &patient,
        "Especie: Felina",
        "Visita 12/03/2023",
        "Peso: 4,2 kg",
        "Motivo de consulta: vómitos desde hace dos días, come poco y duerme mucho.",
        "Tratamiento: dieta blanda y una pastilla cada veinticuatro horas durante una semana.",
    ])
}

/// Writes this number of different records to the folder `in`. Returns the names of their results.
fn write_records(cli: &Cli, count: usize) -> Vec<String> {
    std::fs::create_dir_all(cli.path("in")).unwrap();
    let name = |number: usize| format!("in/{number:02}.pdf");
    for number in 0..count {
        std::fs::write(cli.path(&name(number)), record(&patient(number))).unwrap();
    }
    (0..count).map(name).collect()
}

/// A different name for each number.
fn patient(number: usize) -> String {
    let letter = |digit: usize| char::from(b'a' + u8::try_from(digit).unwrap());
    format!("Luna{}{}", letter(number / 10), letter(number % 10))
}

/// Parses JSON lines, by the name of the file. No file may have two results.
fn by_file(text: &str) -> BTreeMap<String, Value> {
    let mut results = BTreeMap::new();
    for line in text.lines() {
        let result: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let file = result["file"].as_str().unwrap().to_owned();
        assert!(results.insert(file, result).is_none(), "a second result: {line}");
    }
    results
}

/// The value of a key that belongs to no visit.
fn value<'r>(result: &'r Value, key: &str) -> &'r Value {
    let fields = result["fields"].as_array().unwrap();
    let field = fields.iter().find(|field| field["key"] == key && field.get("visit_id").is_none());
    &field.unwrap_or_else(|| panic!("{key} is missing: {result}"))["value"]
}

/// A running command whose output is read as it comes.
struct RunningCommand {
    child: Child,
    /// `None` once it is closed.
    stdout: Option<BufReader<ChildStdout>>,
}

impl RunningCommand {
    fn start(cli: &Cli, arguments: &[&str]) -> Self {
        let mut command = cli.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().map(BufReader::new);
        Self { child, stdout }
    }

    /// Waits for this number of result lines.
    fn read_lines(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            assert!(
                self.stdout.as_mut().unwrap().read_line(&mut text).unwrap() > 0,
                "the command ended after {text}"
            );
        }
        text
    }

    /// Waits for the end. Returns exit code and standard error.
    fn wait(&mut self) -> (Option<i32>, String) {
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap().code(), stderr)
    }

    fn signal(&self, name: &str) {
        let sent = std::process::Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The store in a state folder.
fn open_state(folder: &Path) -> Store {
    SqliteStore::open(&folder.join("quire.db"), SqliteOptions::default()).unwrap().into_store()
}

/// The number of events of this type in a state folder.
async fn count_events(folder: PathBuf, event: EventType) -> usize {
    let events =
        open_state(&folder).run_reader.events(EventId(0), EventFilter::default(), 100_000).await.unwrap();
    events.iter().filter(|recorded| recorded.event.event_type == event).count()
}
