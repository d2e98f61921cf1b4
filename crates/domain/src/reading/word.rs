//! A word of a page.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

use super::Rect;

/// A word and its position.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Word {
    /// Its text.
    pub text: String,
    /// Its position.
    pub rect: Rect,
    /// How sure text recognition is of the text, from 0 to 1. `None` if the file itself contains the text.
    #[serde(default)]
    pub confidence: Option<f32>,
}

impl Word {
    /// A word that the file itself contains.
    pub fn new(text: impl Into<String>, rect: Rect) -> Self {
        Self { text: text.into(), rect, confidence: None }
    }

    /// A word that was recognised in an image. Hundredths of the confidence are kept.
    pub fn recognised(text: impl Into<String>, rect: Rect, confidence: f32) -> Self {
        let confidence = (confidence * 100.0).round().clamp(0.0, 100.0) / 100.0;
        Self { text: text.into(), rect, confidence: Some(confidence) }
    }
}

/// In JSON a word without a confidence has no such member: most words of most documents have none. Formats without names
/// need it.
impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_left_out = self.confidence.is_none() && serializer.is_human_readable();
        let mut word = serializer.serialize_struct("Word", if is_left_out { 2 } else { 3 })?;
        word.serialize_field("text", &self.text)?;
        word.serialize_field("rect", &self.rect)?;
        if is_left_out {
            word.skip_field("confidence")?;
        } else {
            word.serialize_field("confidence", &self.confidence)?;
        }
        word.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_without_confidence_is_stored_as_before_and_one_with_it_keeps_it() {
        let rect = Rect { x0: 1.0, y0: 2.0, x1: 3.0, y1: 4.0 };
        let read = |json: &str| serde_json::from_str::<Word>(json).unwrap();
        let stored = r#"{"text":"Luna","rect":{"x0":1.0,"y0":2.0,"x1":3.0,"y1":4.0}}"#;
        assert_eq!(serde_json::to_string(&Word::new("Luna", rect)).unwrap(), stored);
        assert_eq!(read(stored), Word::new("Luna", rect));
        let recognised = Word::recognised("Luna", rect, 0.913);
        let json = serde_json::to_string(&recognised).unwrap();
        assert!(json.ends_with(r#","confidence":0.91}"#), "{json}");
        assert_eq!(read(&json), recognised);
        assert_eq!(Word::recognised("x", rect, f32::NAN).confidence.map(f32::is_nan), Some(true));
    }
}
