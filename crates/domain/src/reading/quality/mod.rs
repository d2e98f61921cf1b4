//! The quality gate: whether the text of a document can be what its pages show.
//!
//! Some PDFs contain text that nobody sees on the page: fonts without a character map, characters decoded by the wrong
//! table, a poor recognition. Values from such a text would be wrong but look right, so processing stops here. Everything
//! else passes: few words, many figures, forms and other scripts are [`TextProperty`]s of a document, which people see.

mod letter_pairs;
mod mojibake;
mod script;
mod text_counts;

use serde::{Deserialize, Serialize};

use self::letter_pairs::LetterPairs;
use self::mojibake::Mojibake;
use self::text_counts::TextCounts;

/// The fewest visible characters that can be judged, unless they are a whole short document.
const MIN_CHARACTERS: usize = 20;
/// A text in which a larger share of glyphs has no character is not what the page shows.
const MAX_UNMAPPED: f32 = 0.10;
/// The largest share of symbols, a row of equal ones counted once.
const MAX_SYMBOLS: f32 = 0.50;
/// The largest share of neighbouring letters that are of different scripts.
const MAX_SCRIPT_CHANGES: f32 = 0.30;
/// The fewest neighbouring letters whose scripts can be judged.
const MIN_NEIGHBOURS: usize = 20;

/// A reason against using a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QualityIssue {
    /// The text is empty or nearly so.
    TooShort,
    /// The fonts do not say which characters their glyphs are.
    UnmappedGlyphs,
    /// The characters were decoded by the wrong table, such as UTF-8 read as Latin-1.
    Mojibake,
    /// The letters form no words of any language, or there are symbols instead of letters.
    Noise,
}

/// Something about a text that people should know and that is no reason against using it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextProperty {
    /// It has fewer than 20 words.
    FewWords,
    /// It has more digits than letters.
    MostlyFigures,
    /// Many lines have blanks to fill in, boxes to tick, or a label without a value.
    Form,
    /// Most letters are of another script than the Latin one.
    OtherScript,
    /// Some glyphs have no character. They are shown as `�`.
    SomeUnmappedGlyphs,
}

impl TextProperty {
    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FewWords => "few_words",
            Self::MostlyFigures => "mostly_figures",
            Self::Form => "form",
            Self::OtherScript => "other_script",
            Self::SomeUnmappedGlyphs => "some_unmapped_glyphs",
        }
    }
}

/// Whether a text is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QualityVerdict {
    /// The text is used.
    Good,
    /// The text is nearly empty.
    Unreadable,
    /// The text cannot be what the pages show.
    Low,
}

/// How far a text can be what its pages show.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The share of the text that is in order, from 0 to 1.
    pub score: f32,
    /// The reasons against using the text.
    pub issues: Vec<QualityIssue>,
    /// What people should know about the text.
    pub properties: Vec<TextProperty>,
}

impl Quality {
    /// Measures a text. Takes time in proportion to its length.
    pub fn of(text: &str) -> Self {
        let counts = TextCounts::of(text);
        if counts.visible < MIN_CHARACTERS && !counts.is_short_document(text) {
            return Self { score: 0.0, issues: vec![QualityIssue::TooShort], properties: Vec::new() };
        }
        let (pairs, mojibake) = (LetterPairs::of(text), Mojibake::of(text));
        let issues = [
            (QualityIssue::UnmappedGlyphs, share(counts.unmapped, counts.visible) > MAX_UNMAPPED),
            (QualityIssue::Mojibake, mojibake.is_likely(counts.letters)),
            (QualityIssue::Noise, pairs.are_noise() || counts.is_noise()),
        ];
        let sound = (1.0 - share(counts.unmapped, counts.visible))
            * (1.0 - mojibake.share(counts.letters))
            * pairs.plausibility();
        Self {
            score: sound.clamp(0.0, 1.0),
            issues: issues.into_iter().filter(|(_, holds)| *holds).map(|(issue, _)| issue).collect(),
            properties: counts.properties(),
        }
    }

    /// Whether the text is used.
    pub fn verdict(&self) -> QualityVerdict {
        match self.issues.as_slice() {
            [] => QualityVerdict::Good,
            [QualityIssue::TooShort] => QualityVerdict::Unreadable,
            _ => QualityVerdict::Low,
        }
    }
}

#[allow(clippy::cast_precision_loss)] // Shares need only a few digits.
fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

#[cfg(test)]
mod script_tests;
#[cfg(test)]
mod tests;
