//! Runs parsers in child processes. A hostile document can only harm the process that parses it: the server gets an
//! error, kills the process and starts another.
//!
//! [`Sandbox`] is the server's side: a pool of running parsers that handle one document at a time. [`child`] is the main
//! function of a parser, [`protocol`] the messages between both, [`confine`] the confinement that a parser applies to itself
//! before its first document. `page_reading` reads a document although a parser fails on one of its pages.
//! `response_validation` checks what a parser sends, `exit_status` explains why it ended.

pub mod child;
pub mod confine;
mod exit_status;
mod limits;
mod page_reading;
mod parser_process;
pub mod protocol;
mod request_handler;
mod response_validation;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use quire_domain::reading::FileKind;
use quire_imaging::Instructions;
use quire_ports::{ReadError, ReadErrorKind};
use tokio::sync::Semaphore;

pub use confine::{Confinement, ConfinementPolicy, Enforcement};
pub use limits::ParserLimits;
pub(crate) use response_validation::clamp_to_page;

use crate::html::{Article, PageOptions};
use crate::ocr::OcrImage;
use crate::{CoveredText, ParsedPage};
use parser_process::{ParserProcess, RequestTime};
use protocol::{ParserRequest, ParserResponse, unexpected_response};
use response_validation::{validate_article, validate_image, validate_ocr_image};

/// The program to start as a parser.
#[derive(Clone, Debug)]
pub struct ParserProgram {
    /// The path of the executable.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl ParserProgram {
    /// The current program. Its main function must call [`child::run`] if its first argument is [`child::ARGUMENT`].
    pub fn current() -> Self {
        Self::with_argument(current_executable(), child::ARGUMENT)
    }

    /// Another program, with one argument.
    pub fn with_argument(path: PathBuf, argument: &str) -> Self {
        Self { path, arguments: vec![argument.into()] }
    }
}

/// The path of the current executable. On Linux this is the running one, even if a newer file replaced it.
pub(crate) fn current_executable() -> PathBuf {
    if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("quire"))
    }
}

/// A pool of running parsers. Clones share the pool.
#[derive(Clone)]
pub struct Sandbox {
    pool: Arc<ParserPool>,
}

struct ParserPool {
    program: ParserProgram,
    limits: ParserLimits,
    size: usize,
    policy: ConfinementPolicy,
    /// One permit for each parser that may work in parallel.
    slots: Semaphore,
    idle: Mutex<Vec<ParserProcess>>,
    confinement: Confinement,
}

impl Sandbox {
    /// Starts `size` parsers, so that the first documents do not wait for a process to start. Fails if they are less
    /// confined than the policy asks for.
    pub async fn start(
        program: ParserProgram,
        limits: ParserLimits,
        size: usize,
        policy: ConfinementPolicy,
    ) -> Result<Self, ReadError> {
        let size = size.max(1);
        let mut idle = Vec::with_capacity(size);
        for _ in 0..size {
            idle.push(ParserProcess::start(&program, &limits, policy).await?);
        }
        let confinement = idle[0].confinement();
        let inner = ParserPool {
            program,
            limits,
            size,
            policy,
            slots: Semaphore::new(size),
            idle: Mutex::new(idle),
            confinement,
        };
        Ok(Self { pool: Arc::new(inner) })
    }

    /// The confinement of the parsers on this machine.
    pub fn confinement(&self) -> Confinement {
        self.pool.confinement
    }

    /// Reads the words of every page. A page on which the parser fails is returned as unread, unless no page can be read.
    pub async fn read(
        &self,
        kind: FileKind,
        file: Arc<[u8]>,
        covered: CoveredText,
    ) -> Result<Vec<ParsedPage>, ReadError> {
        page_reading::read(&self.pool, kind, &file, covered).await
    }

    /// The number of pages. Reads none of them.
    pub async fn page_count(&self, kind: FileKind, file: Arc<[u8]>) -> Result<usize, ReadError> {
        page_reading::count(&self.pool, kind, &file).await
    }

    /// Renders a page as PNG for people. `page` starts at 0; `scale` is pixels per point.
    pub async fn render(
        &self,
        kind: FileKind,
        file: Arc<[u8]>,
        page: usize,
        scale: f32,
    ) -> Result<Vec<u8>, ReadError> {
        let take = |response| match response {
            ParserResponse::Image(png) => Some(validate_image(png)),
            _ => None,
        };
        self.request_one(ParserRequest::Render(kind, page, scale), &file, take).await?.ok_or_else(no_image)
    }

    /// Renders a page and prepares it for OCR. `page` starts at 0.
    pub async fn render_for_ocr(
        &self,
        kind: FileKind,
        file: Arc<[u8]>,
        page: usize,
        instructions: Instructions,
    ) -> Result<OcrImage, ReadError> {
        let request = ParserRequest::RenderForOcr(kind, page, instructions);
        let take = |response| match response {
            ParserResponse::OcrImage(image) => Some(validate_ocr_image(image)),
            _ => None,
        };
        self.request_one(request, &file, take).await?.ok_or_else(no_image)
    }

    /// Finds the main text of a web page.
    pub async fn read_article(&self, file: &[u8], options: PageOptions) -> Result<Article, ReadError> {
        let take = |response| match response {
            ParserResponse::Article(article) => Some(validate_article(article)),
            _ => None,
        };
        let received = self.request_one(ParserRequest::ReadArticle(options), file, take).await?;
        received.ok_or_else(|| {
            ReadError::new(
                ReadErrorKind::ParserCrashed,
                "the parser returned no text; request the page again",
            )
        })
    }

    /// Sends a request to which the parser gives one response. `take` returns the content of the expected one.
    async fn request_one<T>(
        &self,
        request: ParserRequest,
        file: &[u8],
        take: impl Fn(ParserResponse) -> Option<io::Result<T>>,
    ) -> Result<Option<T>, ReadError> {
        let mut received = None;
        let accept = |response| match take(response) {
            Some(content) if received.is_none() => {
                received = Some(content?);
                Ok(())
            }
            _ => Err(unexpected_response()),
        };
        self.pool.run(request, file, self.pool.limits.time.into(), accept).await?;
        Ok(received)
    }
}

fn no_image() -> ReadError {
    ReadError::new(
        ReadErrorKind::ParserCrashed,
        "the parser returned no image; request it again; if it fails again, report the document",
    )
}

impl ParserPool {
    /// Sends a request to a parser. `accept` gets each response and rejects invalid ones. Dropping the future kills the
    /// parser: there is no other way to stop work on a hostile document.
    async fn run(
        self: &Arc<Self>,
        request: ParserRequest,
        file: &[u8],
        time: RequestTime,
        accept: impl FnMut(ParserResponse) -> io::Result<()>,
    ) -> Result<(), ReadError> {
        if file.len() as u64 > self.limits.file {
            let max_mb = self.limits.file >> 20;
            return Err(ReadError::new(
                ReadErrorKind::DocumentTooLarge,
                format!(
                    "the file is larger than the limit of {max_mb} MB; split it, or raise reading.max_file_mb"
                ),
            ));
        }
        let slot = self.slots.acquire().await;
        let mut parser = self.take_parser().await?;
        // A replacement starts early, so that the next document does not wait after the last document of a parser or after
        // a crash.
        if parser.needs_successor(&self.limits) {
            self.clone().start_replacement();
        }
        let outcome = parser.run(request, file, &self.limits, time, accept).await;
        if parser.is_reusable(&self.limits) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(parser);
        } else if !parser.is_healthy() {
            self.clone().start_replacement();
        }
        drop(slot);
        outcome
    }

    async fn take_parser(&self) -> Result<ParserProcess, ReadError> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut parser) = idle else {
                return ParserProcess::start(&self.program, &self.limits, self.policy).await;
            };
            // It may have died while it was idle.
            if parser.is_alive() {
                return Ok(parser);
            }
        }
    }

    /// Starts another parser in the background.
    fn start_replacement(self: Arc<Self>) {
        tokio::spawn(async move {
            if let Ok(parser) = ParserProcess::start(&self.program, &self.limits, self.policy).await {
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                // One more than can work in parallel: the successor of a parser that is about to end.
                if idle.len() <= self.size {
                    idle.push(parser);
                }
            }
        });
    }
}
