//! The reader: parsers run in child processes of this program, tesseract in another one.

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::reading::FileKind;
use quire_ports::{DocumentReader, PageImageRequest, ReadError, ReadOutput, ReadRequest};
use quire_reading::ocr::{self, Ocr, OcrLanguage, OcrSettings};
use quire_reading::sandbox::{
    self, Confinement, ConfinementPolicy, Enforcement, ParserLimits, ParserProgram, Sandbox,
};
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
        parsers = config.parsers(),
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
impl DocumentReader for PageRenderer {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        self.started.get_or_try_init(|| self.start()).await?.read(request).await
    }

    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        self.started.get_or_try_init(|| self.start()).await?.image(request).await
    }
}

async fn sandbox(config: &Config, limits: ParserLimits) -> Result<Sandbox, CommandError> {
    let (program, policy) = (ParserProgram::current(), config.reading.confinement);
    Sandbox::start(program, limits, config.parsers() as usize, policy).await.map_err(|error| {
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

/// Starts one parser, lets it read a small text, and returns its confinement.
pub(crate) async fn try_sandbox(config: &Config) -> Result<Confinement, CommandError> {
    let failed = |error: ReadError| {
        let diagnosis = error.diagnosis.map(|diagnosis| format!(" ({diagnosis})")).unwrap_or_default();
        CommandError::new(format!("{}{diagnosis}", error.message))
    };
    let (program, policy) = (ParserProgram::current(), config.reading.confinement);
    let sandbox = Sandbox::start(program, limits(config), 1, policy).await.map_err(failed)?;
    let text: Arc<[u8]> = Arc::from(&b"A parser reads this line.\n"[..]);
    sandbox.read(FileKind::Text, text, CoveredText::default()).await.map_err(failed)?;
    Ok(sandbox.confinement())
}

/// Fails if scans in this language, given as ISO 639-1 code, cannot be read.
pub(crate) async fn check_language(ocr: &Ocr, language: &str) -> Result<(), ReadError> {
    ocr.check_available(&OcrLanguage::Set(language.to_owned())).await
}

/// The OCR of the settings, unless it is turned off.
pub(crate) fn ocr(config: &Config) -> Option<Ocr> {
    let ocr = &config.reading.ocr;
    let settings = OcrSettings {
        program: ocr.program.clone(),
        languages: ocr.languages.clone(),
        time: to_std(ocr.time_limit),
        memory: ocr.memory_mb << 20,
        pages: config.parsers() as usize,
        confinement: config.reading.confinement,
    };
    ocr.enabled.then(|| Ocr::new(settings))
}
