//! OCR: recognises the words of a page image with the program `tesseract`.
//!
//! Each page starts a child process of this program. The child limits its memory and time, denies itself the network,
//! other processes and all files except those of the system, and then executes tesseract.

pub mod child;
mod errors;
mod image;
mod languages;
mod legibility;
mod ordinals;
mod tsv;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use quire_domain::reading::Line;
use quire_ports::{ReadError, within_awake_time};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use crate::sandbox::{ConfinementPolicy, current_executable};
pub use image::OcrImage;
pub use languages::language_package;
pub(crate) use legibility::{Legibility, replace_doubtful_words};

use errors::{language_data_missing, not_confined, recognition_failed, tesseract_missing};

/// The most bytes that tesseract may write for a page.
const MAX_STDOUT: u64 = 16 << 20;
/// The most bytes that tesseract may write to standard error.
const MAX_STDERR: u64 = 64 << 10;

/// The settings of OCR.
#[derive(Clone, Debug)]
pub struct OcrSettings {
    /// The program: a name on the search path, or a path.
    pub program: String,
    /// The default languages as ISO 639-1 codes, the likeliest first.
    pub languages: Vec<String>,
    /// The time limit of a page.
    pub time: Duration,
    /// The memory limit in bytes.
    pub memory: u64,
    /// The number of pages to recognise in parallel.
    pub pages: usize,
    /// The confinement that tesseract must have.
    pub confinement: ConfinementPolicy,
}

/// The language of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OcrLanguage {
    /// A person set it. No other language is used.
    Set(String),
    /// Detected from the rest of the document. The default languages are used too.
    Likely(String),
    /// Unknown: the default languages are used.
    Unknown,
}

impl OcrLanguage {
    /// The ISO 639-1 code, if the language is install.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Set(code) | Self::Likely(code) => Some(code),
            Self::Unknown => None,
        }
    }
}

/// Recognises page images. Clones share the limit on parallel pages.
#[derive(Clone)]
pub struct Ocr {
    inner: Arc<OcrInner>,
}

struct OcrInner {
    settings: OcrSettings,
    launcher: PathBuf,
    slots: Arc<Semaphore>,
    /// The last detected installation.
    installed: Mutex<Option<TesseractInstall>>,
}

#[derive(Clone)]
struct TesseractInstall {
    program: PathBuf,
    /// Tesseract's names of the installed languages.
    languages: Vec<String>,
}

struct ProcessOutput {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

impl ProcessOutput {
    /// What it wrote to standard output, if it succeeded.
    fn succeeded(self, failed: impl Fn(&str) -> ReadError) -> Result<Vec<u8>, ReadError> {
        match self.status.code() {
            Some(0) => Ok(self.stdout),
            Some(code) if code == i32::from(child::EXIT_NOT_CONFINED) => Err(not_confined(&self.stderr)),
            _ => Err(failed(&format!("{}: {}", self.status, self.stderr))),
        }
    }
}

impl Ocr {
    /// Uses the current program to start tesseract; its main function must call [`child::run`] if its first argument is
    /// [`child::ARGUMENT`].
    pub fn new(settings: OcrSettings) -> Self {
        Self::with_launcher(current_executable(), settings)
    }

    /// Uses another program to start tesseract, under the same condition as [`Ocr::new`].
    pub fn with_launcher(launcher: PathBuf, settings: OcrSettings) -> Self {
        let slots = Arc::new(Semaphore::new(settings.pages.max(1)));
        Self { inner: Arc::new(OcrInner { settings, launcher, slots, installed: Mutex::new(None) }) }
    }

    /// The number of pages that are recognised in parallel.
    pub fn max_parallel_pages(&self) -> usize {
        self.inner.settings.pages.max(1)
    }

    /// Waits until a page can be recognised. Rendering the page only afterwards keeps few images in memory.
    pub async fn acquire_slot(&self) -> Option<OwnedSemaphorePermit> {
        self.inner.slots.clone().acquire_owned().await.ok()
    }

    /// Checks that tesseract and the data for the language are installed. The error tells people what to install.
    pub async fn check_available(&self, language: &OcrLanguage) -> Result<(), ReadError> {
        self.inner.resolve_install(language).await.map(|_| ())
    }

    /// Recognises the lines of a page. Boxes are in points on the page, confidence is that of tesseract.
    pub async fn recognise(&self, image: &OcrImage, language: &OcrLanguage) -> Result<Vec<Line>, ReadError> {
        let (program, languages) = self.inner.resolve_install(language).await?;
        let dpi = format!("{:.0}", image.dpi);
        let arguments = ["stdin", "stdout", "-l", &languages, "--dpi", &dpi, "--psm", "3", "tsv"];
        let output = self.inner.run(program, &arguments, &image.png).await;
        let output = output.map_err(|error| recognition_failed(&error.to_string()))?;
        let table = output.succeeded(recognition_failed)?;
        let mut lines = tsv::parse_lines(&String::from_utf8_lossy(&table), |rect| image.rect_on_page(rect));
        ordinals::fix_ordinals(&mut lines, &languages);
        Ok(lines)
    }
}

impl OcrInner {
    /// The program and its language argument. If something is missing, each call looks for it again, so that an
    /// installation takes effect without a restart.
    async fn resolve_install(&self, language: &OcrLanguage) -> Result<(PathBuf, String), ReadError> {
        let expected = self.candidate_languages(language);
        let mut installed = self.installed.lock().await;
        if let Some(install) = &*installed
            && let Some(chosen) = languages::tesseract_argument(&expected, &install.languages)
        {
            return Ok((install.program.clone(), chosen));
        }
        let detected = self.detect_install().await?;
        let chosen = languages::tesseract_argument(&expected, &detected.languages);
        let program = detected.program.clone();
        *installed = Some(detected);
        chosen.map(|chosen| (program, chosen)).ok_or_else(|| language_data_missing(&expected))
    }

    fn candidate_languages<'l>(&'l self, language: &'l OcrLanguage) -> Vec<&'l str> {
        let default = self.settings.languages.iter().map(String::as_str);
        match language {
            OcrLanguage::Set(code) => vec![code],
            OcrLanguage::Likely(code) => {
                std::iter::once(code.as_str()).chain(default.filter(|default| default != code)).collect()
            }
            OcrLanguage::Unknown => default.collect(),
        }
    }

    /// Detects tesseract by running it in the same confinement as for a page, so that a program that fails there counts as
    /// missing.
    async fn detect_install(&self) -> Result<TesseractInstall, ReadError> {
        let name = &self.settings.program;
        let program =
            find_program(name).ok_or_else(|| tesseract_missing(&format!("{name} was not detected")))?;
        let output = self.run(program.clone(), &["--list-langs"], &[]).await;
        let output = output.map_err(|error| tesseract_missing(&error.to_string()))?;
        let listed = output.succeeded(tesseract_missing)?;
        let listed = String::from_utf8_lossy(&listed);
        let languages = listed.lines().skip(1).map(|line| line.trim().to_owned()).collect();
        Ok(TesseractInstall { program, languages })
    }

    async fn run(&self, program: PathBuf, arguments: &[&str], input: &[u8]) -> io::Result<ProcessOutput> {
        let limits = child::ChildLimits {
            memory: self.settings.memory,
            seconds: self.settings.time.as_secs(),
            policy: self.settings.confinement,
        };
        let mut child = Command::new(&self.launcher)
            .arg0("quire")
            .args(limits.arguments())
            .arg(OsString::from(program))
            .args(arguments)
            .env_clear()
            .envs(std::env::var_os("TESSDATA_PREFIX").map(|path| ("TESSDATA_PREFIX", path)))
            // Pages run in parallel, so threads within a page would only compete with each other.
            .env("OMP_THREAD_LIMIT", "1")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write_input = async {
            if let Some(mut stdin) = stdin {
                // If tesseract stops reading, its exit status tells why.
                let _ = stdin.write_all(input).await;
            }
        };
        let finish = async {
            let ((), stdout, stderr) =
                tokio::join!(write_input, read_limited(stdout, MAX_STDOUT), read_limited(stderr, MAX_STDERR));
            let stderr = String::from_utf8_lossy(&stderr?).trim().to_owned();
            Ok(ProcessOutput { stdout: stdout?, stderr, status: child.wait().await? })
        };
        let finished = within_awake_time(self.settings.time, finish).await;
        finished.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Reads a stream to its end. Fails if it has more than `limit` bytes.
async fn read_limited(stream: Option<impl AsyncRead + Unpin>, limit: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some(stream) = stream {
        stream.take(limit + 1).read_to_end(&mut content).await?;
    }
    if content.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(content) }
}

/// The path of a program: as given if it contains a slash, else from the search path.
fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}
