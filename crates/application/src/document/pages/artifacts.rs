//! The artifacts of EXTRACTION: where the text and the pages of a run are.
//!
//! A worker that lost its run may write its files late. The file of the text has a fixed name, so its hash stands in the
//! artifact, and a file with another hash is not served. The file of the pages has the fence of its writer in its name.

use quire_domain::reading::quality::TextProperty;
use quire_domain::reading::{FileKind, Page, Reading, UnreadPage};
use quire_domain::{Run, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The size limit of the file of the pages: 256 MB.
pub(crate) const MAX_PAGES_BYTES: u64 = 256 << 20;

/// Where the text of a run is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawTextArtifact {
    /// The name of the file.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The language, as ISO 639-1, or `unknown`.
    pub language: String,
}

impl RawTextArtifact {
    /// The type of the artifact.
    pub const ARTIFACT: &'static str = "RAW_TEXT";
    /// The language of a text that could not be detected.
    pub const UNKNOWN_LANGUAGE: &'static str = "unknown";

    /// The artifact of this text of a run.
    pub fn new(run: &Run, text: &str, language: Option<&str>) -> Self {
        Self {
            path: format!("{}/runs/{}/raw-text.txt", run.subject, run.id),
            bytes: text.len() as u64,
            sha256: Some(hash(text.as_bytes())),
            language: language.unwrap_or(Self::UNKNOWN_LANGUAGE).to_owned(),
        }
    }

    /// Whether this is the content that the run stored.
    pub fn is_content(&self, content: &[u8]) -> bool {
        self.sha256.as_ref().is_none_or(|stored| *stored == hash(content))
    }
}

/// SHA-256 in hexadecimal.
pub(crate) fn hash(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

/// Where the pages of a run are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PagesArtifact {
    /// The name of the file: a line of JSON for each page.
    pub path: String,
    /// Its size. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// SHA-256 of its content, in hexadecimal. Runs of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The kind of file.
    pub kind: FileKind,
    /// The pages.
    pub pages: Vec<PageEntry>,
    /// Whether words that an opaque mark hides are part of the text nevertheless.
    #[serde(default)]
    pub covered_used: bool,
    /// What people should know about the text, such as that it has few words.
    #[serde(default)]
    pub text_properties: Vec<TextProperty>,
    /// The share of the text that is in order, from 0 to 1. None if the run is older than this measure.
    #[serde(default)]
    pub text_reliability: Option<f32>,
}

impl PagesArtifact {
    /// The type of the artifact.
    pub const ARTIFACT: &'static str = "PAGES";

    /// The name of the file that the owner of a run writes.
    pub fn path_for(run: &Run) -> String {
        format!("{}/runs/{}/pages.{}.jsonl", run.subject, run.id, run.fence.0)
    }

    /// The pages in the content of the file.
    pub fn reading(content: &[u8]) -> serde_json::Result<Reading> {
        let lines = content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let pages: Vec<Page> = lines.map(serde_json::from_slice).collect::<Result<_, _>>()?;
        Ok(Reading { pages })
    }
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
    /// Why data that the file contains beside its pages could not be read, if there is such data.
    #[serde(default)]
    pub data_problem: Option<String>,
    /// The start of its line in the file.
    pub start: u64,
    /// The end of its line.
    pub end: u64,
    /// The SHA-256 of its line, in hexadecimal. Pages from before have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl PageEntry {
    /// Whether this line of the file is the one that was stored, as far as can be told.
    pub(crate) fn is_line(&self, line: &[u8]) -> bool {
        self.sha256.as_ref().is_none_or(|stored| *stored == hash(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_compared_with_its_hash_and_one_from_before_has_none() {
        let entry = serde_json::json!({ "width": 1.0, "height": 1.0, "recognised": false, "words": 1, "start": 0, "end": 3 });
        let before: PageEntry = serde_json::from_value(entry).unwrap();
        assert!(before.is_line(b"abc") && before.is_line(b"abd"));
        let stored = PageEntry { sha256: Some(hash(b"abc")), ..before };
        assert!(stored.is_line(b"abc") && !stored.is_line(b"abd"));
    }
}
