//! Tesseract confines itself before it gets a page. These tests take away what it needs for that.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use quire_ports::ReadErrorKind;
use quire_reading::ocr::{Ocr, OcrLanguage, OcrSettings};
use quire_reading::sandbox::ConfinementPolicy::{self, Optional, Required, Supported};
use quire_reading::sandbox::Enforcement;
use quire_reading::sandbox::confine::restrict_files;
use tempfile::TempDir;

/// The environment variable with the arguments of the program.
const ARGUMENTS: &str = "QUIRE_TEST_LAYERED";
/// The most Landlock rules that the kernel stacks on a process.
const MAX_LAYERS: usize = 16;

/// The process that the launcher starts: it uses up all layers of Landlock, and then becomes the real program. Without
/// arguments it does nothing.
#[test]
fn a_process_without_a_free_layer_of_landlock() {
    let Ok(arguments) = std::env::var(ARGUMENTS) else { return };
    for _ in 0..MAX_LAYERS {
        restrict_files(&[Path::new("/")]);
    }
    let error = Command::new(env!("CARGO_BIN_EXE_quire")).args(arguments.split(' ')).exec();
    panic!("{error}");
}

/// A program that starts the real one in a process to which Landlock can no longer be applied.
fn launcher(folder: &TempDir) -> PathBuf {
    let (path, this) = (folder.path().join("launcher"), std::env::current_exe().unwrap());
    let case = "reading::ocr_confinement::a_process_without_a_free_layer_of_landlock";
    let script =
        format!("#!/bin/sh\n{ARGUMENTS}=\"$*\" exec '{}' --exact {case} --nocapture\n", this.display());
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path
}

fn ocr(launcher: &Path, confinement: ConfinementPolicy) -> Ocr {
    let settings = OcrSettings {
        program: "tesseract".to_owned(),
        languages: vec!["es".to_owned()],
        time: Duration::from_mins(1),
        memory: 1 << 30,
        pages: 1,
        confinement,
    };
    Ocr::with_launcher(launcher.to_owned(), settings)
}

/// The child that should become tesseract ends with its own exit code and says what is missing. The setting decides
/// whether that matters.
#[tokio::test]
async fn the_policy_decides_whether_tesseract_runs_without_its_confinement_and_what_is_missing_is_told() {
    // Only this thread is restricted.
    let landlock = std::thread::spawn(|| restrict_files(&[Path::new("/")])).join().unwrap();
    let has_landlock = landlock == Enforcement::Active;
    let missing = if has_landlock { "Landlock could not be applied" } else { "this kernel has no Landlock" };
    let folder = TempDir::new().unwrap();
    let launcher = launcher(&folder);
    for (policy, is_accepted) in [(Supported, !has_landlock), (Required, false), (Optional, true)] {
        let available = ocr(&launcher, policy).check_available(&OcrLanguage::Unknown).await;
        assert_eq!(available.is_ok(), is_accepted, "{policy:?}: {available:?}");
        if let Err(error) = available {
            assert_eq!(error.kind, ReadErrorKind::OcrNotAvailable);
            assert!(error.message.contains(missing), "{error}");
            assert!(error.message.contains("reading.confinement"), "{error}");
        }
    }
    let confined = ocr(Path::new(env!("CARGO_BIN_EXE_quire")), Supported);
    confined.check_available(&OcrLanguage::Unknown).await.unwrap();
}
