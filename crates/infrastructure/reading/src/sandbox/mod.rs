//! Parsers in processes of their own. What a stranger's document does to a parser, it does to that process: the server
//! sees an error, ends it and starts another.
//!
//! [`Sandbox`] is the server's side: a few warm parsers, each given one document at a time. [`child`] is the other side,
//! [`protocol`] what they say to each other, [`confine`] what a parser gives up before its first document.

pub mod child;
pub mod confine;
mod exit_status;
mod limits;
mod parser_process;
pub mod protocol;
mod request_handler;
mod response_validation;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use quire_domain::reading::FileKind;
use quire_ports::{ReadError, ReadErrorKind};
use tokio::sync::Semaphore;

pub use confine::Confinement;
pub use limits::ParserLimits;
pub use protocol::PageImage;

use crate::ParsedPage;
use parser_process::ParserProcess;
use protocol::{ParserRequest, ParserResponse, unexpected_response};
use response_validation::{PageCollector, validate_image};

/// What is started as a parser.
#[derive(Clone, Debug)]
pub struct ParserProgram {
    /// The executable.
    pub path: PathBuf,
    /// What it is told.
    pub arguments: Vec<OsString>,
}

impl ParserProgram {
    /// This very program. Its main function calls [`child::run`] when its first argument is [`child::ARGUMENT`].
    pub fn current() -> Self {
        Self::with_argument(current_executable(), child::ARGUMENT)
    }

    /// A program that knows that argument.
    pub fn with_argument(path: PathBuf, argument: &str) -> Self {
        Self { path, arguments: vec![argument.into()] }
    }
}

/// The executable of this process; on Linux the one that is running, even if its file was replaced by a newer one.
pub(crate) fn current_executable() -> PathBuf {
    if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("quire"))
    }
}

/// A few warm parsers.
#[derive(Clone)]
pub struct Sandbox {
    pool: Arc<ParserPool>,
}

struct ParserPool {
    program: ParserProgram,
    limits: ParserLimits,
    size: usize,
    /// One permit for each parser that may work at the same time.
    slots: Semaphore,
    idle: Mutex<Vec<ParserProcess>>,
    confinement: Confinement,
}

impl Sandbox {
    /// Starts `size` parsers, so that the first documents find them warm.
    pub async fn start(program: ParserProgram, limits: ParserLimits, size: usize) -> Result<Self, ReadError> {
        let size = size.max(1);
        let mut idle = Vec::with_capacity(size);
        for _ in 0..size {
            idle.push(ParserProcess::start(&program, &limits).await?);
        }
        let confinement = idle[0].confinement();
        let inner = ParserPool {
            program,
            limits,
            size,
            slots: Semaphore::new(size),
            idle: Mutex::new(idle),
            confinement,
        };
        Ok(Self { pool: Arc::new(inner) })
    }

    /// What holds the parsers on this machine.
    pub fn confinement(&self) -> Confinement {
        self.pool.confinement
    }

    /// The words of every page.
    pub async fn read(&self, kind: FileKind, file: Arc<[u8]>) -> Result<Vec<ParsedPage>, ReadError> {
        let mut pages = PageCollector::default();
        let limits = self.pool.limits;
        let take = |answer| match answer {
            ParserResponse::Page(page) => pages.push(page, &limits),
            _ => Err(unexpected_response()),
        };
        self.pool.clone().run(ParserRequest::Read(kind), &file, take).await?;
        Ok(pages.pages)
    }

    /// A page, from 0, drawn for people as PNG.
    pub async fn render(
        &self,
        kind: FileKind,
        file: Arc<[u8]>,
        page: usize,
        scale: f32,
    ) -> Result<Vec<u8>, ReadError> {
        Ok(self.request_image(ParserRequest::Render(kind, page, scale), &file).await?.png)
    }

    /// A page, from 0, drawn for recognition.
    pub async fn render_for_ocr(
        &self,
        kind: FileKind,
        file: Arc<[u8]>,
        page: usize,
    ) -> Result<PageImage, ReadError> {
        self.request_image(ParserRequest::RenderForOcr(kind, page), &file).await
    }

    async fn request_image(&self, job: ParserRequest, file: &[u8]) -> Result<PageImage, ReadError> {
        let mut drawn = None;
        let take = |answer| match answer {
            ParserResponse::Image(image) if drawn.is_none() => {
                drawn = Some(validate_image(image)?);
                Ok(())
            }
            _ => Err(unexpected_response()),
        };
        self.pool.clone().run(job, file, take).await?;
        drawn.ok_or_else(|| {
            ReadError::new(
                ReadErrorKind::ParserCrashed,
                "the parser drew nothing; try again, or report this file",
            )
        })
    }
}

impl ParserPool {
    /// Gives a document to a parser. `take` gets each answer and refuses what does not fit. Whoever stops waiting ends the
    /// parser with it: there is no other way to stop work on a hostile document.
    async fn run(
        self: Arc<Self>,
        job: ParserRequest,
        file: &[u8],
        take: impl FnMut(ParserResponse) -> io::Result<()>,
    ) -> Result<(), ReadError> {
        if file.len() as u64 > self.limits.file {
            let most = self.limits.file >> 20;
            return Err(ReadError::new(
                ReadErrorKind::DocumentTooLarge,
                format!("the file is larger than {most} MB, which is the most that is read; split it"),
            ));
        }
        let place = self.slots.acquire().await;
        let mut parser = self.take_parser().await?;
        // The next document shall not wait for a start, neither after a parser that has done its share nor after a crash.
        if parser.needs_successor(&self.limits) {
            self.clone().start_replacement();
        }
        let outcome = parser.run(job, file, &self.limits, take).await;
        if parser.is_reusable(&self.limits) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(parser);
        } else if !parser.is_healthy() {
            self.clone().start_replacement();
        }
        drop(place);
        outcome
    }

    async fn take_parser(&self) -> Result<ParserProcess, ReadError> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut parser) = idle else {
                return ParserProcess::start(&self.program, &self.limits).await;
            };
            // It may have died while it waited.
            if parser.is_alive() {
                return Ok(parser);
            }
        }
    }

    /// Starts another parser meanwhile.
    fn start_replacement(self: Arc<Self>) {
        tokio::spawn(async move {
            if let Ok(parser) = ParserProcess::start(&self.program, &self.limits).await {
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                // One more than can work at the same time: the one that takes over from another.
                if idle.len() <= self.size {
                    idle.push(parser);
                }
            }
        });
    }
}
