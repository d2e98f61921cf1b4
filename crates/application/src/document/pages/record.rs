//! The artifacts of EXTRACTION: where the text and the pages of a run are.

use quire_domain::reading::{FileKind, UnreadPage};
use serde::{Deserialize, Serialize};

/// Where the text of a run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawTextArtifact {
    /// The name of the file.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The language, as ISO 639-1, or `unknown`.
    pub language: String,
}

impl RawTextArtifact {
    /// The type of the artifact.
    pub const ARTIFACT: &'static str = "RAW_TEXT";
    /// The language of a text that could not be detected.
    pub const UNKNOWN_LANGUAGE: &'static str = "unknown";
}

/// Where the pages of a run are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageIndex {
    /// The name of the file: a line of JSON for each page.
    pub path: String,
    /// The kind of file.
    pub kind: FileKind,
    /// The pages.
    pub pages: Vec<PageEntry>,
    /// Whether words that an opaque mark hides are part of the text nevertheless.
    #[serde(default)]
    pub covered_used: bool,
}

impl PageIndex {
    /// The type of the artifact.
    pub const ARTIFACT: &'static str = "PAGES";
}

/// One page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageEntry {
    /// In points.
    pub width: f32,
    /// In points.
    pub height: f32,
    /// Whether OCR recognised its words.
    pub recognised: bool,
    /// The number of its words.
    pub words: usize,
    /// The number of words that an opaque mark hides. They are among `words` only if `covered_used`.
    #[serde(default)]
    pub covered_words: usize,
    /// Why the page could not be read, if it could not.
    #[serde(default)]
    pub unread: Option<UnreadPage>,
    /// The start of its line in the file.
    pub start: u64,
    /// The end of its line.
    pub end: u64,
}
