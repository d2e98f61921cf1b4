//! What EXTRACTION leaves behind for a run: the artifacts that say where its text and its pages are.

use quire_domain::reading::FileKind;
use serde::{Deserialize, Serialize};

/// Where the text of a run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawTextArtifact {
    /// The name of the file.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The language that was used, as ISO 639-1, or `unknown`.
    pub language: String,
}

impl RawTextArtifact {
    /// The type of the artifact.
    pub const ARTIFACT: &'static str = "RAW_TEXT";
    /// The language of a text whose language nobody can tell.
    pub const UNKNOWN_LANGUAGE: &'static str = "unknown";
}

/// Where the pages of a run are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageIndex {
    /// The name of the file: a line of JSON for each page.
    pub path: String,
    /// What kind of file was read.
    pub kind: FileKind,
    /// Each page and its line.
    pub pages: Vec<PageEntry>,
}

impl PageIndex {
    /// The type of the artifact.
    pub const ARTIFACT: &'static str = "PAGES";
}

/// One page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageEntry {
    /// In points.
    pub width: f32,
    /// In points.
    pub height: f32,
    /// Whether its words were recognised from its picture.
    pub recognised: bool,
    /// How many words it has.
    pub words: usize,
    /// Where its line begins,
    pub start: u64,
    /// and where it ends.
    pub end: u64,
}
