//! Recognising the words of a page from its picture, with the program `tesseract`.
//!
//! It is started for each page by a child of this program, which first gives up the network, files beyond the system's
//! own, memory and time beyond a limit, and then becomes tesseract.

pub mod child;
mod languages;
mod ordinals;
mod tsv;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use quire_domain::reading::Line;
use quire_ports::{ReadError, ReadTrouble};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::timeout;

use crate::sandbox::{Image, this_executable};

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

/// Recognises pages.
#[derive(Clone)]
pub struct Ocr {
    inner: Arc<Inner>,
}

struct Inner {
    settings: OcrSettings,
    launcher: PathBuf,
    places: Semaphore,
    /// The program and the languages it has been given, once asked.
    installed: OnceCell<Installed>,
}

struct Installed {
    program: PathBuf,
    languages: Vec<String>,
}

impl Ocr {
    /// Recognises as these settings say.
    pub fn new(settings: OcrSettings) -> Self {
        Self::launched_by(this_executable(), settings)
    }

    /// Recognises in children of that program, whose main function calls [`child::run`] when its first argument is
    /// [`child::ARGUMENT`].
    pub fn launched_by(launcher: PathBuf, settings: OcrSettings) -> Self {
        let places = Semaphore::new(settings.pages.max(1));
        Self { inner: Arc::new(Inner { settings, launcher, places, installed: OnceCell::new() }) }
    }

    /// Whether there is a tesseract to recognise with; else what to do about it.
    pub async fn check(&self) -> Result<(), ReadError> {
        self.inner.installed().await.map(|_| ())
    }

    /// The lines of a page. `language` is the one it is in, if known.
    pub async fn recognise(&self, image: &Image, language: Option<&str>) -> Result<Vec<Line>, ReadError> {
        let inner = &self.inner;
        let installed = inner.installed().await?;
        let expected: Vec<&str> = match language {
            Some(language) => vec![language],
            None => inner.settings.languages.iter().map(String::as_str).collect(),
        };
        let chosen = languages::choose(&expected, &installed.languages).ok_or_else(|| missing(&expected))?;
        let _place = inner.places.acquire().await;
        let output =
            inner.run(installed, &chosen, image).await.map_err(|error| failed(&error.to_string()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(failed(&format!("{}: {}", output.status, said.trim())));
        }
        let mut lines = tsv::lines(&String::from_utf8_lossy(&output.stdout), image.scale);
        ordinals::mend(&mut lines, &chosen);
        Ok(lines)
    }
}

impl Inner {
    /// Asked once; a failure is not kept, so that installing tesseract helps without a restart.
    async fn installed(&self) -> Result<&Installed, ReadError> {
        self.installed.get_or_try_init(|| self.look()).await
    }

    async fn look(&self) -> Result<Installed, ReadError> {
        let program = find(&self.settings.program).ok_or_else(|| not_installed(&self.settings.program))?;
        let asked = Command::new(&program).arg("--list-langs").stdin(Stdio::null()).output().await;
        let output = asked.map_err(|_| not_installed(&self.settings.program))?;
        let listed = String::from_utf8_lossy(&output.stdout);
        let languages = listed.lines().skip(1).map(|line| line.trim().to_owned()).collect();
        Ok(Installed { program, languages })
    }

    async fn run(&self, installed: &Installed, languages: &str, image: &Image) -> io::Result<Output> {
        let terms = child::Terms { memory: self.settings.memory, seconds: self.settings.time.as_secs() };
        let mut arguments: Vec<OsString> = vec![installed.program.clone().into()];
        arguments.extend(["stdin", "stdout", "-l", languages, "--dpi"].map(OsString::from));
        arguments.push(format!("{:.0}", image.scale * 72.0).into());
        arguments.extend(["--psm", "3", "tsv"].map(OsString::from));
        let mut child = Command::new(&self.launcher)
            .arg0("quire")
            .args(terms.command_line())
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
        let to = child.stdin.take();
        let talk = async {
            let feed = async {
                if let Some(mut to) = to {
                    // One that does not want all of it says why at its end.
                    let _ = to.write_all(&image.png).await;
                }
            };
            tokio::join!(feed, child.wait_with_output()).1
        };
        timeout(self.settings.time, talk).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// The place of a program: as given if it is a path, else where the search path has it.
fn find(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|place| place.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|place| place.is_file())
}

fn not_installed(program: &str) -> ReadError {
    ReadError {
        trouble: ReadTrouble::OcrNotAvailable,
        message: "the document has pages without text, and the program that recognises scans is missing; install it \
                  (Debian and Ubuntu: apt-get install tesseract-ocr tesseract-ocr-spa) and process the document again"
            .to_owned(),
        diagnosis: Some(format!("{program} cannot be executed")),
    }
}

fn missing(languages: &[&str]) -> ReadError {
    let packages: Vec<String> = languages
        .iter()
        .map(|language| format!("tesseract-ocr-{}", languages::tesseract_name(language).unwrap_or(language)))
        .collect();
    ReadError::new(
        ReadTrouble::OcrNotAvailable,
        format!(
            "scans in this language cannot be recognised yet; install its data (Debian and Ubuntu: apt-get install {}) \
             and process the document again",
            packages.join(" ")
        ),
    )
}

fn failed(why: &str) -> ReadError {
    ReadError {
        trouble: ReadTrouble::OcrFailed,
        message: "a page without text could not be recognised from its picture; try again, or scan it anew"
            .to_owned(),
        diagnosis: Some(format!("recognising a page: {why}")),
    }
}
