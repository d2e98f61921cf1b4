//! Reading a file: from its bytes to pages with words.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::reading::{FileKind, Line, Reading};

use crate::CallPermit;

/// Recognised pages of one document, stored so that no attempt repeats the work of another, and the permit to recognise
/// more.
#[async_trait]
pub trait RecognisedPages: Send + Sync {
    /// A permit to recognise pages of the document, which the reader takes before the first page that is not stored and
    /// keeps until it has read the document. Without one it stops.
    async fn permit(&self) -> Option<CallPermit>;

    /// The recognised lines of a page, from 1, in that language.
    async fn find(&self, page: usize, language: Option<&str>) -> Option<Vec<Line>>;

    /// Stores the lines of a page. If that fails, the next attempt must recognise the page again.
    async fn store(&self, page: usize, language: Option<&str>, lines: &[Line]);
}

/// A file to read.
#[derive(Clone)]
pub struct ReadRequest {
    /// Its bytes.
    pub file: Arc<[u8]>,
    /// The language that a person chose, as ISO 639-1.
    pub language: Option<String>,
    /// Pages that earlier attempts recognised, if they are stored.
    pub recognised: Option<Arc<dyn RecognisedPages>>,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOutput {
    /// The kind of file, found by its content.
    pub kind: FileKind,
    /// Its pages with their text.
    pub reading: Reading,
    /// Whether text that an opaque mark hides is part of the pages' text, because a setting says so.
    pub covered_used: bool,
    /// Its language as ISO 639-1: the one that a person chose, else the one that was detected, if any.
    pub language: Option<String>,
}

/// The image of one page.
#[derive(Clone, Debug)]
pub struct PageImageRequest {
    /// The file's bytes.
    pub file: Arc<[u8]>,
    /// Which page, from 1.
    pub page: usize,
    /// Pixels per point.
    pub scale: f32,
}

macro_rules! error_kinds {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// Why a file could not be read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // The codes are the documentation.
        pub enum ReadErrorKind { $($variant),+ }

        impl ReadErrorKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The stable code.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

error_kinds! {
    UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE",
    PdfEncrypted = "PDF_ENCRYPTED",
    PdfInvalid = "PDF_INVALID",
    FileInvalid = "FILE_INVALID",
    PageNotFound = "PAGE_NOT_FOUND",
    DocumentTooLarge = "DOCUMENT_TOO_LARGE",
    ParserCrashed = "PARSER_CRASHED",
    ParserTimeout = "PARSER_TIMEOUT",
    ParserMemory = "PARSER_MEMORY",
    ParserUnavailable = "PARSER_UNAVAILABLE",
    OcrNotAvailable = "OCR_NOT_AVAILABLE",
    OcrFailed = "OCR_FAILED",
}

impl ReadErrorKind {
    /// Whether another attempt at the same file may succeed.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::ParserCrashed | Self::ParserUnavailable | Self::OcrFailed)
    }
}

/// A file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ReadError {
    /// Why.
    pub kind: ReadErrorKind,
    /// What happened and what to do, for people. Never a path or document text.
    pub message: String,
    /// Details for engineers: signal, exit code, the end of the parser's output, limits.
    pub diagnosis: Option<String>,
}

impl ReadError {
    /// An error without details.
    pub fn new(kind: ReadErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), diagnosis: None }
    }
}

/// Reads untrusted files. It returns within its limits for any content of a file, and releases its resources as soon as
/// the caller stops waiting.
#[async_trait]
pub trait DocumentReader: Send + Sync {
    /// Reads a file: its text and the position of each word. Pages without text are recognised from their image.
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError>;

    /// Draws one page as PNG.
    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError>;

    /// How many pages a file has, if it can be told.
    async fn page_count(&self, file: Arc<[u8]>) -> Option<usize> {
        let _ = file;
        None
    }

    /// The language of a text as ISO 639-1, if it can be told.
    fn detect_language(&self, text: &str) -> Option<String> {
        let _ = text;
        None
    }
}
