//! The reader: parsers in child processes of this very program, and tesseract behind one.

use std::process::ExitCode;
use std::thread::available_parallelism;

use async_trait::async_trait;
use quire_domain::reading::FileKind;
use quire_ports::{PageImageRequest, ReadError, ReadOutput, ReadRequest, Reader};
use quire_reading::LocalReader;
use quire_reading::ocr::{self, Ocr, OcrSettings};
use quire_reading::sandbox::{self, ParserLimits, ParserProgram, Sandbox};
use tokio::sync::OnceCell;

use crate::config::{Config, plain};
use crate::trouble::Trouble;

/// If this process was started by another one of this program to work for it, that is what it does.
pub fn as_child() -> Option<ExitCode> {
    let asked = std::env::args_os().nth(1)?;
    match asked.to_str()? {
        sandbox::child::ARGUMENT => Some(sandbox::child::run()),
        ocr::child::ARGUMENT => Some(ocr::child::run()),
        _ => None,
    }
}

/// Starts the parsers, and says what holds them.
pub(crate) async fn start(config: &Config) -> Result<LocalReader, Trouble> {
    let limits = limits(config);
    let parsing = sandbox(limits, parsers(config)).await?;
    let held = parsing.confinement();
    tracing::info!(
        parsers = parsers(config),
        memory_mb = config.reading.memory_mb,
        seccomp = held.seccomp,
        landlock = held.landlock,
        "documents are parsed in child processes"
    );
    if !held.seccomp && !held.landlock {
        tracing::warn!(
            "this system cannot cut parsers off from files and network; their memory and time are limited"
        );
    }
    let kinds = config.reading.formats.clone();
    Ok(LocalReader { kinds, sandbox: parsing, ocr: recogniser(config) })
}

/// Draws pages for people in parsers of its own, who shall not wait for documents. They are started when the first
/// page is asked for.
pub(crate) struct Drawing {
    kinds: Vec<FileKind>,
    limits: ParserLimits,
    parsers: usize,
    started: OnceCell<LocalReader>,
}

impl Drawing {
    pub(crate) fn new(config: &Config) -> Self {
        let images = config.reading.images;
        Self {
            kinds: config.reading.formats.clone(),
            limits: ParserLimits { time: plain(images.time_limit), ..limits(config) },
            parsers: images.parsers as usize,
            started: OnceCell::new(),
        }
    }

    async fn start(&self) -> Result<LocalReader, ReadError> {
        let parsing = Sandbox::start(ParserProgram::current(), self.limits, self.parsers).await?;
        Ok(LocalReader { kinds: self.kinds.clone(), sandbox: parsing, ocr: None })
    }
}

#[async_trait]
impl Reader for Drawing {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        self.started.get_or_try_init(|| self.start()).await?.read(request).await
    }

    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        self.started.get_or_try_init(|| self.start()).await?.image(request).await
    }
}

/// How many parsers work at the same time.
pub(crate) fn parsers(config: &Config) -> usize {
    match config.reading.parsers {
        0 => available_parallelism().map_or(1, usize::from),
        parsers => parsers as usize,
    }
}

async fn sandbox(limits: ParserLimits, size: usize) -> Result<Sandbox, Trouble> {
    Sandbox::start(ParserProgram::current(), limits, size).await.map_err(|error| {
        let why = error.diagnosis.unwrap_or_default();
        Trouble::new(format!("{} ({why})", error.message))
    })
}

fn limits(config: &Config) -> ParserLimits {
    let reading = &config.reading;
    ParserLimits {
        memory: reading.memory_mb << 20,
        time: plain(reading.time_limit),
        file: reading.max_file_mb << 20,
        pages: reading.max_pages as usize,
        words: reading.max_words as usize,
        documents: reading.documents_per_parser,
        ..ParserLimits::default()
    }
}

fn recogniser(config: &Config) -> Option<Ocr> {
    let ocr = &config.reading.ocr;
    let settings = OcrSettings {
        program: ocr.program.clone(),
        languages: ocr.languages.clone(),
        time: plain(ocr.time_limit),
        memory: ocr.memory_mb << 20,
        pages: parsers(config),
    };
    ocr.enabled.then(|| Ocr::new(settings))
}
