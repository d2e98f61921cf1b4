//! The sandbox of parsers: confinement, crashes, limits and replacement.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use quire_domain::reading::{FileKind, Page};
use quire_ports::{ReadError, ReadErrorKind};
use quire_reading::sandbox::protocol::{self, ParserResponse};
use quire_reading::sandbox::{
    Confinement, ConfinementPolicy, Enforcement, ParserLimits, ParserProgram, Sandbox,
};
use quire_reading::{CoveredText, ParsedPage};
use quire_testkit::documents::{Pdf, clinical_record, text_page};

use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::{parser_program, process_stat, tight_limits};
use crate::test_env::wait_until;

async fn sandbox(limits: ParserLimits) -> Sandbox {
    Sandbox::start(parser_program(), limits, 1, ConfinementPolicy::Supported).await.unwrap()
}

fn record() -> Arc<[u8]> {
    clinical_record(2).into()
}

async fn assert_reads_a_record(sandbox: &Sandbox) {
    let pages = sandbox.read(FileKind::Pdf, record(), CoveredText::Apart).await.unwrap();
    assert_eq!(pages.len(), 2);
    assert_eq!(pages[1].page.lines[2].words[1].text, "Luna");
}

#[tokio::test]
async fn a_parser_reads_document_after_document() {
    let sandbox = sandbox(tight_limits()).await;
    for _ in 0..20 {
        assert_reads_a_record(&sandbox).await;
    }
    let png = sandbox.render(FileKind::Pdf, record(), 1, 1.5).await.unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let missing = sandbox.render(FileKind::Pdf, record(), 2, 1.5).await.unwrap_err();
    assert_eq!(missing.kind, ReadErrorKind::PageNotFound);
    assert_eq!(sandbox.page_count(FileKind::Pdf, record()).await, Ok(2));
    assert_eq!(sandbox.page_count(FileKind::Text, b"one page".as_slice().into()).await, Ok(1));
    assert_reads_a_record(&sandbox).await;
}

/// Any recent Linux has both. Without them, parsers are still limited and the server logs a warning.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_parser_is_confined() {
    let confinement = sandbox(tight_limits()).await.confinement();
    assert!(confinement.memory && confinement.seccomp == Enforcement::Active, "{confinement:?}");
}

/// The pages of a document that takes long to read.
const LONG_READ_PAGES: usize = 3_000;

/// A sandbox whose parsers write their process ids to a file, so that a test can watch and kill them.
struct TrackedSandbox {
    folder: TempDir,
    sandbox: Sandbox,
}

impl TrackedSandbox {
    async fn start(limits: ParserLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ids, program) = (folder.path().join("ids"), env!("CARGO_BIN_EXE_quire"));
        let script = format!("echo $$ >> {}; exec {program} parse-child", ids.display());
        let program =
            ParserProgram { path: "/bin/sh".into(), arguments: ["-c".into(), script.into()].to_vec() };
        let sandbox = Sandbox::start(program, limits, 1, ConfinementPolicy::Supported).await.unwrap();
        Self { folder, sandbox }
    }

    fn ids(&self) -> Vec<u32> {
        let ids = std::fs::read_to_string(self.folder.path().join("ids")).unwrap();
        ids.lines().map(|id| id.parse().unwrap()).collect()
    }

    /// Starts reading a long document, and waits until the parser works on it.
    async fn start_long_read(&self) -> JoinHandle<Result<Vec<ParsedPage>, ReadError>> {
        let page = text_page(&["El paciente come bien y duerme toda la noche."; 50]);
        let long: Arc<[u8]> = Pdf::of_pages(&vec![page; LONG_READ_PAGES]).file().into();
        let sandbox = self.sandbox.clone();
        let reading =
            tokio::spawn(async move { sandbox.read(FileKind::Pdf, long, CoveredText::Apart).await });
        let id = self.ids()[0];
        let before = process_stat(id).unwrap().ticks;
        wait_until(async || process_stat(id).is_some_and(|stat| stat.ticks > before + 5)).await;
        reading
    }
}

/// What ended the parser was not the document, so another parser reads the rest.
#[tokio::test]
async fn a_killed_parser_is_replaced_and_the_rest_of_its_document_is_read() {
    let limits = ParserLimits { pages: 1_000_000, words: 10_000_000, answer: 1 << 30, ..tight_limits() };
    let tracked = TrackedSandbox::start(ParserLimits { time: Duration::from_mins(4), ..limits }).await;
    let reading = tracked.start_long_read().await;
    let killed =
        std::process::Command::new("kill").args(["-9", &tracked.ids()[0].to_string()]).status().unwrap();
    assert!(killed.success());
    let pages = reading.await.unwrap().unwrap();
    assert_eq!(pages.len(), LONG_READ_PAGES);
    assert!(pages.iter().all(|parsed| parsed.page.unread.is_none() && parsed.page.word_count() == 450));
    assert_reads_a_record(&tracked.sandbox).await;
    assert!(tracked.ids().len() >= 2, "a new parser was started");
}

#[tokio::test]
async fn cancelling_a_read_ends_its_parser() {
    let tracked = TrackedSandbox::start(ParserLimits { pages: 1_000_000, ..tight_limits() }).await;
    let reading = tracked.start_long_read().await;
    reading.abort();
    assert!(reading.await.unwrap_err().is_cancelled());
    let id = tracked.ids()[0];
    wait_until(async || process_stat(id).is_none()).await;
    assert_reads_a_record(&tracked.sandbox).await;
}

#[tokio::test]
async fn a_parser_is_replaced_after_its_number_of_documents() {
    let tracked = TrackedSandbox::start(ParserLimits { documents: 3, ..tight_limits() }).await;
    for _ in 0..7 {
        assert_reads_a_record(&tracked.sandbox).await;
    }
    assert!(tracked.ids().len() >= 3, "{:?}", tracked.ids());
}

async fn read_with_script(script: &str, limits: ParserLimits) -> Result<(), ReadError> {
    let arguments = ["-c", script].map(OsString::from).to_vec();
    let program = ParserProgram { path: "/bin/sh".into(), arguments };
    Sandbox::start(program, limits, 1, ConfinementPolicy::Supported)
        .await?
        .read(FileKind::Pdf, record(), CoveredText::Apart)
        .await
        .map(|_| ())
}

/// A parser reads its limits and then reports that it is ready, in a frame of four bytes.
const READY: &str = "head -c 8 >/dev/null; printf '\\004\\000\\000\\000\\000\\001\\001\\001';";

#[tokio::test]
async fn garbage_crashes_hangs_and_floods_of_a_parser_have_different_codes() {
    let limits = ParserLimits { time: Duration::from_secs(2), answer: 1 << 20, ..tight_limits() };
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
    for (script, kind) in cases {
        let error = read_with_script(&format!("{READY} {script}"), limits).await.unwrap_err();
        assert_eq!(error.kind, kind, "{script}: {error:?}");
        assert!(error.diagnosis.is_some(), "{script}");
        assert!(!error.message.contains('/'), "{script}: {}", error.message);
    }
}

/// A parser that hangs on the first of two pages: the second page is read, and the first one is named.
#[tokio::test]
async fn a_page_that_hangs_its_parser_is_left_out() {
    // A page may take a sixth of it: long enough for a busy machine.
    let limits = ParserLimits { time: Duration::from_secs(15), ..tight_limits() };
    let folder = tempfile::tempdir().unwrap();
    let page =
        ParsedPage { page: Page { width: 100.0, height: 50.0, ..Page::default() }, ..ParsedPage::default() };
    let next_page = ParserResponse::NextPage(100.0, 50.0);
    for (name, responses) in [
        ("ready", vec![ParserResponse::Ready(Confinement { memory: true, ..Confinement::default() })]),
        ("first", vec![ParserResponse::PageCount(2)]),
        ("announced", vec![ParserResponse::PageCount(2), next_page.clone()]),
        (
            "rest",
            vec![ParserResponse::PageCount(2), next_page, ParserResponse::Page(page), ParserResponse::Done],
        ),
    ] {
        let mut frames = Vec::new();
        for response in responses {
            protocol::write_frame(&mut frames, &protocol::encode(&response).unwrap()).unwrap();
        }
        std::fs::write(folder.path().join(name), frames).unwrap();
    }
    // The last two bytes of a request are its first page and whether pages are announced.
    let script = format!(
        "cd {}; dd bs=1 count={} of=/dev/null; cat ready; set -- $(dd bs=1 count=9 | od -An -tu1)\n\
         case \"$8 $9\" in '0 0') cat first;; '0 1') cat announced;; '1 1') cat rest;; esac; exec sleep 1000",
        folder.path().display(),
        protocol::encode(&limits).unwrap().len() + 4
    );
    let arguments = ["-c", &script].map(OsString::from).to_vec();
    let program = ParserProgram { path: "/bin/sh".into(), arguments };
    let sandbox = Sandbox::start(program, limits, 1, ConfinementPolicy::Supported).await.unwrap();
    let pages = sandbox.read(FileKind::Pdf, record(), CoveredText::Apart).await.unwrap();
    let unread: Vec<Option<&str>> = pages
        .iter()
        .map(|parsed| parsed.page.unread.as_ref().map(|unread| unread.error_code.as_str()))
        .collect();
    assert_eq!(unread, [Some("PARSER_TIMEOUT"), None]);
}

/// A parser that reports less confinement than the policy asks for gets no document.
#[tokio::test]
async fn the_policy_decides_which_confinement_a_parser_must_have() {
    use ConfinementPolicy::{Optional, Required, Supported};
    // 0 is a kernel without Landlock, 1 an active one, 2 one that could not be applied.
    let cases = [("0", [true, false, true]), ("1", [true, true, true]), ("2", [false, false, true])];
    for (landlock, accepted) in cases {
        let ready = READY.replace("\\000\\001\\001\\001'", &format!("\\000\\001\\00{landlock}\\001'"));
        assert!(ready.contains(&format!("\\00{landlock}\\001'")), "{ready}");
        for (policy, accepted) in [Supported, Required, Optional].into_iter().zip(accepted) {
            let arguments = ["-c", &format!("{ready} sleep 1000")].map(OsString::from).to_vec();
            let program = ParserProgram { path: "/bin/sh".into(), arguments };
            let started = Sandbox::start(program, tight_limits(), 1, policy).await;
            assert_eq!(started.is_ok(), accepted, "Landlock {landlock}, {policy:?}");
            if let Err(error) = started {
                assert_eq!(error.kind, ReadErrorKind::ParserUnavailable);
                assert!(error.diagnosis.unwrap().contains("Landlock"));
            }
        }
    }
}

#[tokio::test]
async fn a_program_that_is_no_parser_is_refused() {
    for script in ["exit 0", "echo hello; sleep 1000", "printf '\\001\\000\\000\\000\\003'"] {
        let error = read_with_script(script, tight_limits()).await.unwrap_err();
        assert_eq!(error.kind, ReadErrorKind::ParserUnavailable, "{script}");
    }
    let missing = ParserProgram { path: "/nonexistent/quire".into(), arguments: Vec::new() };
    let error = Sandbox::start(missing, tight_limits(), 1, ConfinementPolicy::Supported).await.err().unwrap();
    assert_eq!(error.kind, ReadErrorKind::ParserUnavailable);
}

#[tokio::test]
async fn a_document_above_a_limit_is_refused_and_the_parser_continues() {
    let limits = ParserLimits { pages: 2, file: 100 << 10, ..tight_limits() };
    let sandbox = sandbox(limits).await;
    let long = sandbox.read(FileKind::Pdf, clinical_record(3).into(), CoveredText::Apart).await.unwrap_err();
    assert_eq!(long.kind, ReadErrorKind::DocumentTooLarge);
    let large =
        sandbox.read(FileKind::Pdf, vec![b' '; 101 << 10].into(), CoveredText::Apart).await.unwrap_err();
    assert_eq!(large.kind, ReadErrorKind::DocumentTooLarge);
    assert_reads_a_record(&sandbox).await;
}
