//! Parsers in processes of their own. What a stranger's document does to a parser, it does to that process: the server
//! sees an error, ends it and starts another.
//!
//! [`Sandbox`] is the server's side: a few warm parsers, each given one document at a time. [`child`] is the other side,
//! [`protocol`] what they say to each other, [`confine`] what a parser gives up before its first document.

pub mod child;
pub mod confine;
mod limits;
mod parser;
pub mod protocol;
mod trust;
mod verdict;
mod work;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use quire_domain::reading::FileKind;
use quire_ports::{ReadError, ReadErrorKind};
use tokio::sync::Semaphore;

pub use confine::Confinement;
pub use limits::Limits;
pub use protocol::Image;

use crate::PageRead;
use parser::Parser;
use protocol::{Answer, Job, unfit};
use trust::{Pages, checked};

/// What is started as a parser.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// What it is told.
    pub arguments: Vec<OsString>,
}

impl Program {
    /// This very program. Its main function calls [`child::run`] when its first argument is [`child::ARGUMENT`].
    pub fn this() -> Self {
        Self::child_of(this_executable(), child::ARGUMENT)
    }

    /// A program that knows that argument.
    pub fn child_of(path: PathBuf, argument: &str) -> Self {
        Self { path, arguments: vec![argument.into()] }
    }
}

/// The executable of this process; on Linux the one that is running, even if its file was replaced by a newer one.
pub(crate) fn this_executable() -> PathBuf {
    if cfg!(target_os = "linux") {
        PathBuf::from("/proc/self/exe")
    } else {
        std::env::current_exe().unwrap_or_else(|_| PathBuf::from("quire"))
    }
}

/// A few warm parsers.
#[derive(Clone)]
pub struct Sandbox {
    inner: Arc<Inner>,
}

struct Inner {
    program: Program,
    limits: Limits,
    size: usize,
    /// One permit for each parser that may work at the same time.
    places: Semaphore,
    idle: Mutex<Vec<Parser>>,
    confinement: Confinement,
}

impl Sandbox {
    /// Starts `size` parsers, so that the first documents find them warm.
    pub async fn start(program: Program, limits: Limits, size: usize) -> Result<Self, ReadError> {
        let size = size.max(1);
        let mut idle = Vec::with_capacity(size);
        for _ in 0..size {
            idle.push(Parser::start(&program, &limits).await?);
        }
        let confinement = idle[0].confinement();
        let inner = Inner {
            program,
            limits,
            size,
            places: Semaphore::new(size),
            idle: Mutex::new(idle),
            confinement,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What holds the parsers on this machine.
    pub fn confinement(&self) -> Confinement {
        self.inner.confinement
    }

    /// The words of every page.
    pub async fn read(&self, kind: FileKind, file: Arc<[u8]>) -> Result<Vec<PageRead>, ReadError> {
        let mut pages = Pages::default();
        let limits = self.inner.limits;
        let take = |answer| match answer {
            Answer::Page(page) => pages.take(page, &limits),
            _ => Err(unfit()),
        };
        self.inner.clone().call(Job::Read(kind), &file, take).await?;
        Ok(pages.pages)
    }

    /// A page, from 0, drawn for people as PNG.
    pub async fn image(
        &self,
        kind: FileKind,
        file: Arc<[u8]>,
        page: usize,
        scale: f32,
    ) -> Result<Vec<u8>, ReadError> {
        Ok(self.drawn(Job::Draw(kind, page, scale), &file).await?.png)
    }

    /// A page, from 0, drawn for recognition.
    pub async fn scan(&self, kind: FileKind, file: Arc<[u8]>, page: usize) -> Result<Image, ReadError> {
        self.drawn(Job::Scan(kind, page), &file).await
    }

    async fn drawn(&self, job: Job, file: &[u8]) -> Result<Image, ReadError> {
        let mut drawn = None;
        let take = |answer| match answer {
            Answer::Image(image) if drawn.is_none() => {
                drawn = Some(checked(image)?);
                Ok(())
            }
            _ => Err(unfit()),
        };
        self.inner.clone().call(job, file, take).await?;
        drawn.ok_or_else(|| {
            ReadError::new(
                ReadErrorKind::ParserCrashed,
                "the parser drew nothing; try again, or report this file",
            )
        })
    }
}

impl Inner {
    /// Gives a document to a parser. `take` gets each answer and refuses what does not fit. Whoever stops waiting ends the
    /// parser with it: there is no other way to stop work on a hostile document.
    async fn call(
        self: Arc<Self>,
        job: Job,
        file: &[u8],
        take: impl FnMut(Answer) -> io::Result<()>,
    ) -> Result<(), ReadError> {
        if file.len() as u64 > self.limits.file {
            let most = self.limits.file >> 20;
            return Err(ReadError::new(
                ReadErrorKind::DocumentTooLarge,
                format!("the file is larger than {most} MB, which is the most that is read; split it"),
            ));
        }
        let place = self.places.acquire().await;
        let mut parser = self.warm().await?;
        // The next document shall not wait for a start, neither after a parser that has done its share nor after a crash.
        if parser.nears_its_end(&self.limits) {
            self.clone().refill();
        }
        let outcome = parser.work(job, file, &self.limits, take).await;
        if parser.is_fit(&self.limits) {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(parser);
        } else if !parser.is_sound() {
            self.clone().refill();
        }
        drop(place);
        outcome
    }

    async fn warm(&self) -> Result<Parser, ReadError> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let Some(mut parser) = idle else {
                return Parser::start(&self.program, &self.limits).await;
            };
            // It may have died while it waited.
            if parser.is_alive() {
                return Ok(parser);
            }
        }
    }

    /// Starts another parser meanwhile.
    fn refill(self: Arc<Self>) {
        tokio::spawn(async move {
            if let Ok(parser) = Parser::start(&self.program, &self.limits).await {
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                // One more than can work at the same time: the one that takes over from another.
                if idle.len() <= self.size {
                    idle.push(parser);
                }
            }
        });
    }
}
