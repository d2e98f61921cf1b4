//! Fields: what was found, how sure that is, and where it stands on the page.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Value, ValueType};
use quire_domain::ids::{DocumentId, FieldId, RunId};
use quire_domain::reading::Rect;

/// All that was understood of a document in one version, as it is stored and shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interpretation {
    /// The generation of this shape: `v0`.
    pub schema_version: String,
    /// The document.
    pub document_id: DocumentId,
    /// The run that understood it.
    pub processing_run_id: RunId,
    /// When this version was made.
    pub created_at: Timestamp,
    /// The surroundings in which it was understood; what reviews teach holds for them alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_key: Option<String>,
    /// The policy by which its confidences were composed. They are frozen with the version, whatever is learnt later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_version: Option<String>,
    /// The fields, in no promised order. What was not found is not here.
    pub fields: Vec<Field>,
}

impl Interpretation {
    /// The generation of the flat list.
    pub const V0: &'static str = "v0";
}

/// Who says that a field has its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// It was found in the document.
    Machine,
    /// A person put it in.
    Human,
    /// It follows from other fields.
    Derived,
}

impl Origin {
    /// The stored and shown form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Human => "human",
            Self::Derived => "derived",
        }
    }
}

/// One value of one key. A key that has several values has several fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// This instance of the key.
    pub field_id: FieldId,
    /// What it is a value of, in `snake_case`.
    pub key: String,
    /// The value.
    pub value: Value,
    /// What the value is meant as.
    pub value_type: ValueType,
    /// How sure it is, from 0 to 1: that of the candidate, moved by what reviews have taught.
    pub confidence: f64,
    /// How sure the candidate was when it was found.
    pub candidate_confidence: f64,
    /// By how many points reviews have moved it.
    #[serde(default)]
    pub review_history_adjustment: f64,
    /// Whether its key is critical in the schema of its run.
    pub is_critical: bool,
    /// Who says so.
    pub origin: Origin,
    /// Where it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// The visit that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visit_id: Option<String>,
    /// What found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping_id: Option<String>,
    /// What else it might be, the likeliest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidate_suggestions: Vec<Suggestion>,
}

impl Field {
    /// A field of its own, found nowhere in particular, that belongs to no visit.
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
    /// The words around it, cut short.
    pub snippet: String,
    /// The rectangles of its words on that page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boxes: Vec<Rect>,
}

impl Evidence {
    /// Characters of the longest snippet.
    const LONGEST: usize = 180;

    /// Evidence whose snippet is cut to a reasonable length.
    pub fn new(page: u32, words: &str, boxes: Vec<Rect>) -> Self {
        let mut snippet: String = words.chars().take(Self::LONGEST).collect();
        if snippet.len() < words.len() {
            snippet.push('…');
        }
        Self { page, snippet, boxes }
    }
}

/// Another value that a field might have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The value.
    pub value: Value,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Where it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}
