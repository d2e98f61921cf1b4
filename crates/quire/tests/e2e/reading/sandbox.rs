//! Parsers that are well and parsers that are not.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use quire_domain::reading::FileKind;
use quire_ports::{ReadError, ReadErrorKind};
use quire_reading::ParsedPage;
use quire_reading::sandbox::{ParserLimits, ParserProgram, Sandbox};
use quire_testkit::documents::{Pdf, clinical_record, text_page};

use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::{parser, tight};
use crate::scene::wait_until;

async fn sandbox(limits: ParserLimits) -> Sandbox {
    Sandbox::start(parser(), limits, 1).await.unwrap()
}

fn record() -> Arc<[u8]> {
    clinical_record(2).into()
}

async fn reads_a_record(sandbox: &Sandbox) {
    let pages = sandbox.read(FileKind::Pdf, record()).await.unwrap();
    assert_eq!(pages.len(), 2);
    assert_eq!(pages[1].page.lines[2].words[1].text, "Luna");
}

#[tokio::test]
async fn a_parser_reads_document_after_document() {
    let sandbox = sandbox(tight()).await;
    for _ in 0..20 {
        reads_a_record(&sandbox).await;
    }
    let png = sandbox.render(FileKind::Pdf, record(), 1, 1.5).await.unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let missing = sandbox.render(FileKind::Pdf, record(), 2, 1.5).await.unwrap_err();
    assert_eq!(missing.kind, ReadErrorKind::PageNotFound);
    reads_a_record(&sandbox).await;
}

/// On Linux of these years both are there; without them parsers would still be limited, and the server would say so.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_parser_has_given_up_files_and_system_calls() {
    let held = sandbox(tight()).await.confinement();
    assert!(held.memory && held.seccomp, "{held:?}");
}

/// The real parser, which first notes its process id, so that a test can watch it and kill it.
struct Noted {
    folder: TempDir,
    sandbox: Sandbox,
}

impl Noted {
    async fn start(limits: ParserLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ids, program) = (folder.path().join("ids"), env!("CARGO_BIN_EXE_quire"));
        let script = format!("echo $$ >> {}; exec {program} parse-child", ids.display());
        let program =
            ParserProgram { path: "/bin/sh".into(), arguments: ["-c".into(), script.into()].to_vec() };
        let sandbox = Sandbox::start(program, limits, 1).await.unwrap();
        Self { folder, sandbox }
    }

    fn ids(&self) -> Vec<String> {
        let ids = std::fs::read_to_string(self.folder.path().join("ids")).unwrap();
        ids.lines().map(str::to_owned).collect()
    }

    /// Gives it work for long, and waits until it is at it.
    async fn busy(&self) -> JoinHandle<Result<Vec<ParsedPage>, ReadError>> {
        let page = text_page(&["El paciente come bien y duerme toda la noche."; 50]);
        let long: Arc<[u8]> = Pdf::of_pages(&vec![page; 10_000]).file().into();
        let sandbox = self.sandbox.clone();
        let reading = tokio::spawn(async move { sandbox.read(FileKind::Pdf, long).await });
        let id = self.ids()[0].clone();
        let before = ticks(&id).unwrap();
        wait_until(async || ticks(&id).is_some_and(|now| now > before + 5)).await;
        reading
    }
}

/// Processor time used so far, in hundredths of a second. Nothing if the process has ended.
fn ticks(id: &str) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (fields[0] != "Z").then(|| fields[11].parse().unwrap())
}

#[tokio::test]
async fn a_parser_that_is_killed_at_work_is_replaced() {
    let noted = Noted::start(ParserLimits { pages: 1_000_000, ..tight() }).await;
    let reading = noted.busy().await;
    let killed = std::process::Command::new("kill").args(["-9", &noted.ids()[0]]).status().unwrap();
    assert!(killed.success());
    let error = reading.await.unwrap().unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::ParserCrashed);
    assert!(error.diagnosis.unwrap().contains("signal: 9"));
    reads_a_record(&noted.sandbox).await;
    assert!(noted.ids().len() >= 2, "another one was started");
}

#[tokio::test]
async fn a_parser_is_ended_at_once_when_nobody_waits_for_it_any_more() {
    let noted = Noted::start(ParserLimits { pages: 1_000_000, ..tight() }).await;
    let reading = noted.busy().await;
    reading.abort();
    assert!(reading.await.unwrap_err().is_cancelled());
    let id = noted.ids()[0].clone();
    wait_until(async || ticks(&id).is_none()).await;
    reads_a_record(&noted.sandbox).await;
}

#[tokio::test]
async fn a_parser_is_replaced_after_so_many_documents() {
    let noted = Noted::start(ParserLimits { documents: 3, ..tight() }).await;
    for _ in 0..7 {
        reads_a_record(&noted.sandbox).await;
    }
    assert!(noted.ids().len() >= 3, "{:?}", noted.ids());
}

async fn with_child(script: &str, limits: ParserLimits) -> Result<(), ReadError> {
    let arguments = ["-c", script].map(OsString::from).to_vec();
    let program = ParserProgram { path: "/bin/sh".into(), arguments };
    Sandbox::start(program, limits, 1).await?.read(FileKind::Pdf, record()).await.map(|_| ())
}

/// A parser takes its limits, and then says that it is ready: a frame of four bytes.
const READY: &str = "head -c 8 >/dev/null; printf '\\004\\000\\000\\000\\000\\001\\001\\001';";

#[tokio::test]
async fn a_parser_that_answers_nonsense_crashes_hangs_or_floods_is_told_apart() {
    let limits = ParserLimits { time: Duration::from_secs(2), answer: 1 << 20, ..tight() };
    let cases = [
        ("head -c 100 /dev/zero | tr '\\000' '\\377'; sleep 1000", ReadErrorKind::DocumentTooLarge),
        ("printf '\\002\\000\\000\\000\\377\\377'; sleep 1000", ReadErrorKind::ParserCrashed),
        ("head -c 9999999 /dev/zero; sleep 1000", ReadErrorKind::ParserCrashed),
        ("exit 3", ReadErrorKind::ParserCrashed),
        ("kill -SEGV $$", ReadErrorKind::ParserCrashed),
        ("echo 'memory allocation of 123 bytes failed' >&2; kill -ABRT $$", ReadErrorKind::ParserMemory),
        ("kill -XCPU $$", ReadErrorKind::ParserTimeout),
        ("sleep 1000", ReadErrorKind::ParserTimeout),
    ];
    for (script, trouble) in cases {
        let error = with_child(&format!("{READY} {script}"), limits).await.unwrap_err();
        assert_eq!(error.kind, trouble, "{script}: {error:?}");
        assert!(error.diagnosis.is_some(), "{script}");
        assert!(!error.message.contains('/'), "{script}: {}", error.message);
    }
}

#[tokio::test]
async fn a_program_that_is_no_parser_is_not_taken_for_one() {
    for script in ["exit 0", "echo hello; sleep 1000", "printf '\\001\\000\\000\\000\\003'"] {
        let error = with_child(script, tight()).await.unwrap_err();
        assert_eq!(error.kind, ReadErrorKind::ParserUnavailable, "{script}");
    }
    let missing = ParserProgram { path: "/nonexistent/quire".into(), arguments: Vec::new() };
    let error = Sandbox::start(missing, tight(), 1).await.err().unwrap();
    assert_eq!(error.kind, ReadErrorKind::ParserUnavailable);
}

#[tokio::test]
async fn a_document_beyond_a_limit_is_refused_and_the_parser_goes_on() {
    let limits = ParserLimits { pages: 2, file: 100 << 10, ..tight() };
    let sandbox = sandbox(limits).await;
    let long = sandbox.read(FileKind::Pdf, clinical_record(3).into()).await.unwrap_err();
    assert_eq!(long.kind, ReadErrorKind::DocumentTooLarge);
    let large = sandbox.read(FileKind::Pdf, vec![b' '; 101 << 10].into()).await.unwrap_err();
    assert_eq!(large.kind, ReadErrorKind::DocumentTooLarge);
    reads_a_record(&sandbox).await;
}
