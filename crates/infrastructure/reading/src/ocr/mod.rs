//! Recognising the words of a page from its picture, with the program `tesseract`.
//!
//! It is started for each page by a child of this program, which first gives up the network, other processes, files beyond
//! the system's own, memory and time beyond a limit, and then becomes tesseract.

pub mod child;
mod errors;
mod languages;
mod ordinals;
mod tsv;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use quire_domain::reading::Line;
use quire_ports::ReadError;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::sandbox::{PageImage, current_executable};
use errors::{language_data_missing, recognition_failed, tesseract_missing};

/// No page of words takes more to write down; what does is not read to its end.
const MAX_STDOUT: u64 = 16 << 20;
/// A tesseract that complains more than this is not well.
const MAX_STDERR: u64 = 64 << 10;

/// How a page is recognised.
#[derive(Clone, Debug)]
pub struct OcrSettings {
    /// The program, by its name on the path or by its place.
    pub program: String,
    /// The languages to expect when nobody says which, as ISO 639-1, the likeliest first.
    pub languages: Vec<String>,
    /// How long a page may take.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: u64,
    /// Pages at the same time.
    pub pages: usize,
}

/// The language of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageLanguage {
    /// A person said so: this one and no other.
    Set(String),
    /// The rest of the document seems to be in it; the usual ones are expected as well.
    Likely(String),
    /// Nobody knows: one of the usual ones.
    Unknown,
}

impl PageLanguage {
    /// Its name, if there is one.
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Set(code) | Self::Likely(code) => Some(code),
            Self::Unknown => None,
        }
    }
}

/// Recognises pages.
#[derive(Clone)]
pub struct Ocr {
    inner: Arc<OcrInner>,
}

struct OcrInner {
    settings: OcrSettings,
    launcher: PathBuf,
    slots: Arc<Semaphore>,
    /// What was found when it was last looked for.
    installed: Mutex<Option<TesseractInstall>>,
}

#[derive(Clone)]
struct TesseractInstall {
    program: PathBuf,
    /// By tesseract's names.
    languages: Vec<String>,
}

/// What a child wrote, and how it ended.
struct ProcessOutput {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

impl Ocr {
    /// Recognises as these settings say.
    pub fn new(settings: OcrSettings) -> Self {
        Self::with_launcher(current_executable(), settings)
    }

    /// Recognises in children of that program, whose main function calls [`child::run`] when its first argument is
    /// [`child::ARGUMENT`].
    pub fn with_launcher(launcher: PathBuf, settings: OcrSettings) -> Self {
        let places = Arc::new(Semaphore::new(settings.pages.max(1)));
        Self { inner: Arc::new(OcrInner { settings, launcher, slots: places, installed: Mutex::new(None) }) }
    }

    /// How many pages are recognised at the same time.
    pub fn max_parallel_pages(&self) -> usize {
        self.inner.settings.pages.max(1)
    }

    /// Waits until a page can be recognised. Whoever draws the page only then keeps few pictures waiting.
    pub async fn acquire_slot(&self) -> Option<OwnedSemaphorePermit> {
        self.inner.slots.clone().acquire_owned().await.ok()
    }

    /// Whether there is a tesseract that knows that language; else what to do about it.
    pub async fn check_available(&self, language: &PageLanguage) -> Result<(), ReadError> {
        self.inner.resolve_install(language).await.map(|_| ())
    }

    /// The lines of a page.
    pub async fn recognise(
        &self,
        image: &PageImage,
        language: &PageLanguage,
    ) -> Result<Vec<Line>, ReadError> {
        let (program, languages) = self.inner.resolve_install(language).await?;
        let dots = format!("{:.0}", image.scale * 72.0);
        let arguments = ["stdin", "stdout", "-l", &languages, "--dpi", &dots, "--psm", "3", "tsv"];
        let written = self.inner.run(program, &arguments, &image.png).await;
        let written = written.map_err(|error| recognition_failed(&error.to_string()))?;
        if !written.status.success() {
            return Err(recognition_failed(&format!("{}: {}", written.status, written.stderr)));
        }
        let mut lines = tsv::parse_lines(&String::from_utf8_lossy(&written.stdout), image.scale);
        ordinals::fix_ordinals(&mut lines, &languages);
        Ok(lines)
    }
}

impl OcrInner {
    /// The program, and what to tell it about languages. What is missing is looked for again each time, so that
    /// installing it helps at once.
    async fn resolve_install(&self, language: &PageLanguage) -> Result<(PathBuf, String), ReadError> {
        let expected = self.candidate_languages(language);
        let mut installed = self.installed.lock().await;
        if let Some(known) = &*installed
            && let Some(chosen) = languages::tesseract_argument(&expected, &known.languages)
        {
            return Ok((known.program.clone(), chosen));
        }
        let found = self.detect_install().await?;
        let chosen = languages::tesseract_argument(&expected, &found.languages);
        let program = found.program.clone();
        *installed = Some(found);
        chosen.map(|chosen| (program, chosen)).ok_or_else(|| language_data_missing(&expected))
    }

    fn candidate_languages<'l>(&'l self, language: &'l PageLanguage) -> Vec<&'l str> {
        let usual = self.settings.languages.iter().map(String::as_str);
        match language {
            PageLanguage::Set(code) => vec![code],
            PageLanguage::Likely(code) => {
                std::iter::once(code.as_str()).chain(usual.filter(|usual| usual != code)).collect()
            }
            PageLanguage::Unknown => usual.collect(),
        }
    }

    /// Asks the way pages are recognised, so that a program that cannot work like this is not taken for one.
    async fn detect_install(&self) -> Result<TesseractInstall, ReadError> {
        let name = &self.settings.program;
        let program = find_program(name).ok_or_else(|| tesseract_missing(&format!("{name} is not there")))?;
        let written = self.run(program.clone(), &["--list-langs"], &[]).await;
        let written = written.map_err(|error| tesseract_missing(&error.to_string()))?;
        if !written.status.success() {
            return Err(tesseract_missing(&format!("{}: {}", written.status, written.stderr)));
        }
        let listed = String::from_utf8_lossy(&written.stdout);
        let languages = listed.lines().skip(1).map(|line| line.trim().to_owned()).collect();
        Ok(TesseractInstall { program, languages })
    }

    async fn run(&self, program: PathBuf, arguments: &[&str], input: &[u8]) -> io::Result<ProcessOutput> {
        let terms =
            child::ChildLimits { memory: self.settings.memory, seconds: self.settings.time.as_secs() };
        let mut child = Command::new(&self.launcher)
            .arg0("quire")
            .args(terms.arguments())
            .arg(OsString::from(program))
            .args(arguments)
            .env_clear()
            .envs(std::env::var_os("TESSDATA_PREFIX").map(|place| ("TESSDATA_PREFIX", place)))
            // Pages are recognised side by side; threads within one only get in each other's way.
            .env("OMP_THREAD_LIMIT", "1")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (to, from, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let feed = async {
            if let Some(mut to) = to {
                // One that does not want all of it says why at its end.
                let _ = to.write_all(input).await;
            }
        };
        let talk =
            async { tokio::join!(feed, read_limited(from, MAX_STDOUT), read_limited(errors, MAX_STDERR)) };
        let conversation = async {
            let ((), answer, complaint) = talk.await;
            let complaint = String::from_utf8_lossy(&complaint?).trim().to_owned();
            Ok(ProcessOutput { stdout: answer?, stderr: complaint, status: child.wait().await? })
        };
        timeout(self.settings.time, conversation)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// What comes until the end of the stream, if it is not more than that.
async fn read_limited(from: Option<impl AsyncRead + Unpin>, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some(from) = from {
        from.take(most + 1).read_to_end(&mut content).await?;
    }
    if content.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(content) }
}

/// The place of a program: as given if it is a path, else where the search path has it.
fn find_program(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|place| place.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|place| place.is_file())
}
