//! Fields: a value with its confidence and its evidence.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Reason, Value, ValueType};
use quire_domain::ids::{DocumentId, FieldId, RunId};
use quire_domain::reading::Rect;

/// One version of the fields of a document, as it is stored and as the API shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interpretation {
    /// The generation of this structure: `v0`.
    pub schema_version: String,
    /// The interpreted document.
    pub document_id: DocumentId,
    /// The run that made the interpretation.
    pub processing_run_id: RunId,
    /// When this version was made.
    pub created_at: Timestamp,
    /// The context that review signals of this version count for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_key: Option<String>,
    /// The confidence policy in effect when this version was made. Its confidence values never change afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_version: Option<String>,
    /// The fields, in any order. There is no field for a key that was not found.
    pub fields: Vec<Field>,
}

impl Interpretation {
    /// The generation of the flat list.
    pub const V0: &'static str = "v0";
}

/// Where the value of a field comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Found in the document.
    Machine,
    /// Data that the file contains beside its pages, such as the XML of an e-invoice.
    Embedded,
    /// Entered, changed or moved to another visit by a person.
    Human,
    /// Derived from other fields.
    Derived,
}

impl Origin {
    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Embedded => "embedded",
            Self::Human => "human",
            Self::Derived => "derived",
        }
    }
}

/// The most suggestions of a field.
pub const MAX_SUGGESTIONS: usize = 5;

/// One value of one key. A key with several values has several fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The id of this value.
    pub field_id: FieldId,
    /// The key, in `snake_case`.
    pub key: String,
    /// The value, null if there is none.
    pub value: Value,
    /// The type of the value.
    pub value_type: ValueType,
    /// The confidence, from 0 to 1: the candidate's, adjusted by reviews.
    pub confidence: f64,
    /// The confidence of the candidate when it was found.
    pub candidate_confidence: f64,
    /// The points by which reviews adjusted the confidence.
    #[serde(default)]
    pub review_history_adjustment: f64,
    /// Whether the key is critical in the schema of the run.
    pub is_critical: bool,
    /// Where the value comes from.
    pub origin: Origin,
    /// Where the value stands in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The visit that the value belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit_id: Option<String>,
    /// The rule or model that found the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping_id: Option<String>,
    /// Other values that the field might have, most confident first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidate_suggestions: Vec<Suggestion>,
}

impl Field {
    /// A new field without evidence and without a visit.
    pub fn new(key: &str, value: Value, value_type: ValueType, origin: Origin, confidence: f64) -> Self {
        Self {
            field_id: FieldId::new(),
            key: key.to_owned(),
            value,
            value_type,
            confidence,
            candidate_confidence: confidence,
            review_history_adjustment: 0.0,
            is_critical: false,
            origin,
            evidence: None,
            visit_id: None,
            mapping_id: None,
            candidate_suggestions: Vec::new(),
        }
    }
}

/// Where a value stands in the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The page, from 1.
    pub page: u32,
    /// The text around the value.
    pub snippet: String,
    /// The rectangles of its words on that page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boxes: Vec<Rect>,
    /// Why the value has its confidence, the heaviest reason first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The share of the page that was read well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_reliability: Option<f64>,
}

impl Evidence {
    /// The longest snippet, in characters.
    const LONGEST: usize = 180;

    /// Evidence with the snippet cut to its longest length.
    pub fn new(page: u32, words: &str, boxes: Vec<Rect>) -> Self {
        let mut snippet: String = words.chars().take(Self::LONGEST).collect();
        if snippet.len() < words.len() {
            snippet.push('…');
        }
        Self { page, snippet, boxes, reasons: Vec::new(), text_reliability: None }
    }
}

/// Another value that a field might have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The suggested value.
    pub value: Value,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// Where the value stands in the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}
