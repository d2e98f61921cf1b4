//! Who reads a document.

use serde::{Deserialize, Serialize};

use crate::UnknownName;

/// Who reads a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extractor {
    /// The reader of this machine.
    #[default]
    Local,
    /// Azure Document Intelligence.
    DocumentIntelligence,
}

impl Extractor {
    /// All extractors.
    pub const ALL: [Self; 2] = [Self::Local, Self::DocumentIntelligence];

    /// The name that is stored and that clients send.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::DocumentIntelligence => "document_intelligence",
        }
    }

    /// The extractor of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|one| one.as_str() == name).ok_or_else(|| UnknownName {
            what: "extractor",
            name: name.to_owned(),
            known: Self::ALL.map(Self::as_str).join(", "),
        })
    }
}
