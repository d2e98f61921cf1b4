//! The reader: parsers run in child processes of this program, tesseract in another one.

use std::process::ExitCode;
use std::thread::available_parallelism;

use async_trait::async_trait;
use quire_domain::reading::FileKind;
use quire_ports::{PageImageRequest, ReadError, ReadOutput, ReadRequest, Reader};
use quire_reading::ocr::{self, Ocr, OcrSettings};
use quire_reading::sandbox::{self, ConfinementPolicy, Enforcement, ParserLimits, ParserProgram, Sandbox};
use quire_reading::{CoveredText, LocalReader};
use tokio::sync::OnceCell;

use crate::config::{Config, to_std};
use crate::error::CommandError;

/// Runs a parser or OCR child, if this process was started as one.
pub fn run_as_child() -> Option<ExitCode> {
    let argument = std::env::args_os().nth(1)?;
    match argument.to_str()? {
        sandbox::child::ARGUMENT => Some(sandbox::child::run()),
        ocr::child::ARGUMENT => Some(ocr::child::run()),
        _ => None,
    }
}

/// Starts the parsers, and logs how they are confined.
pub(crate) async fn start(config: &Config) -> Result<LocalReader, CommandError> {
    let limits = limits(config);
    let parsing = sandbox(config, limits).await?;
    let confinement = parsing.confinement();
    tracing::info!(
        parsers = parsers(config),
        memory_mb = config.reading.memory_mb,
        seccomp = confinement.seccomp == Enforcement::Active,
        landlock = confinement.landlock == Enforcement::Active,
        "parsers started"
    );
    let missing = confinement.missing();
    if !missing.is_empty() {
        tracing::warn!(missing, "parsers and tesseract are not fully confined");
    }
    let kinds = config.reading.formats.clone();
    Ok(LocalReader { kinds, sandbox: parsing, ocr: ocr(config), covered: config.reading.covered_text })
}

/// Draws page images in its own parsers, so that people do not wait for the queue. They start with the first image.
pub(crate) struct PageRenderer {
    kinds: Vec<FileKind>,
    limits: ParserLimits,
    parsers: usize,
    confinement: ConfinementPolicy,
    started: OnceCell<LocalReader>,
}

impl PageRenderer {
    pub(crate) fn new(config: &Config) -> Self {
        let images = config.reading.images;
        Self {
            kinds: config.reading.formats.clone(),
            limits: ParserLimits { time: to_std(images.time_limit), ..limits(config) },
            parsers: images.parsers as usize,
            confinement: config.reading.confinement,
            started: OnceCell::new(),
        }
    }

    async fn start(&self) -> Result<LocalReader, ReadError> {
        let program = ParserProgram::current();
        let parsing = Sandbox::start(program, self.limits, self.parsers, self.confinement).await?;
        let kinds = self.kinds.clone();
        Ok(LocalReader { kinds, sandbox: parsing, ocr: None, covered: CoveredText::default() })
    }
}

#[async_trait]
impl Reader for PageRenderer {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        self.started.get_or_try_init(|| self.start()).await?.read(request).await
    }

    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        self.started.get_or_try_init(|| self.start()).await?.image(request).await
    }
}

/// The number of parsers that run at the same time.
pub(crate) fn parsers(config: &Config) -> usize {
    match config.reading.parsers {
        0 => available_parallelism().map_or(1, usize::from),
        parsers => parsers as usize,
    }
}

async fn sandbox(config: &Config, limits: ParserLimits) -> Result<Sandbox, CommandError> {
    let (program, policy) = (ParserProgram::current(), config.reading.confinement);
    Sandbox::start(program, limits, parsers(config), policy).await.map_err(|error| {
        let diagnosis = error.diagnosis.unwrap_or_default();
        CommandError::new(format!("{} ({diagnosis})", error.message))
    })
}

fn limits(config: &Config) -> ParserLimits {
    let reading = &config.reading;
    ParserLimits {
        memory: reading.memory_mb << 20,
        time: to_std(reading.time_limit),
        file: reading.max_file_mb << 20,
        pages: reading.max_pages as usize,
        words: reading.max_words as usize,
        documents: reading.documents_per_parser,
        ..ParserLimits::default()
    }
}

fn ocr(config: &Config) -> Option<Ocr> {
    let ocr = &config.reading.ocr;
    let settings = OcrSettings {
        program: ocr.program.clone(),
        languages: ocr.languages.clone(),
        time: to_std(ocr.time_limit),
        memory: ocr.memory_mb << 20,
        pages: parsers(config),
        confinement: config.reading.confinement,
    };
    ocr.enabled.then(|| Ocr::new(settings))
}
