//! `[reading]`, `[reading.ocr]` and `[reading.images]`.

use jiff::SignedDuration;
use quire_domain::reading::{Extractor, FileKind};
use quire_reading::CoveredText;
use quire_reading::sandbox::ConfinementPolicy;
use serde::{Deserialize, Deserializer};

use super::duration;

/// `[reading]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ReadingSection {
    #[serde(deserialize_with = "kinds")]
    pub formats: Vec<FileKind>,
    pub extractor: Extractor,
    pub parsers: u32,
    pub memory_mb: u64,
    #[serde(deserialize_with = "duration")]
    pub time_limit: SignedDuration,
    pub max_file_mb: u64,
    pub max_pages: u32,
    pub max_words: u32,
    pub documents_per_parser: u32,
    pub covered_text: CoveredText,
    pub confinement: ConfinementPolicy,
    pub ocr: OcrSection,
    pub images: ImagesSection,
}

/// `[reading.ocr]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct OcrSection {
    pub enabled: bool,
    pub program: String,
    #[serde(deserialize_with = "languages")]
    pub languages: Vec<String>,
    #[serde(deserialize_with = "duration")]
    pub time_limit: SignedDuration,
    pub memory_mb: u64,
}

/// `[reading.images]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ImagesSection {
    pub parsers: u32,
    #[serde(deserialize_with = "duration")]
    pub time_limit: SignedDuration,
    pub max_scale: f32,
    pub cache_mb: u64,
}

fn kinds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<FileKind>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let kinds: Result<Vec<_>, _> = text.split_whitespace().map(FileKind::parse).collect();
    match kinds.map_err(serde::de::Error::custom)? {
        kinds if kinds.is_empty() => {
            Err(serde::de::Error::custom("must name at least one file type, such as \"pdf\""))
        }
        kinds => Ok(kinds),
    }
}

fn languages<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let is_code = |code: &str| code.len() == 2 && code.bytes().all(|letter| letter.is_ascii_lowercase());
    let codes: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if codes.is_empty() || !codes.iter().all(|code| is_code(code)) {
        return Err(serde::de::Error::custom("must be ISO 639-1 codes, such as \"es en\""));
    }
    Ok(codes)
}
