//! Identifiers. Each kind of thing has its own type, so that the id of a run cannot be passed as the id of a subject.
//!
//! Ids are version-7 UUIDs: unique without coordination, and roughly ordered by creation time, which keeps database
//! indexes compact.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new, unique id.
            #[allow(clippy::new_without_default)] // A default suggests a fixed value; every call differs.
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

id!(
    /// One execution of a pipeline over a subject.
    RunId
);
id!(
    /// What a run works on: a document, a link request, or the proposal run itself.
    SubjectId
);
id!(
    /// One request to a language model.
    ModelCallId
);
id!(
    /// The summary of a link request.
    SummaryId
);
id!(
    /// A worker process, for the duration of one lease. A process that loses its lease gets a new id.
    WorkerId
);
id!(
    /// Something that a run produced.
    ArtifactId
);
id!(
    /// A document.
    DocumentId
);
id!(
    /// One installation: a database and the storage of its files, which carry the same id.
    InstallationId
);
id!(
    /// An API key.
    KeyId
);

id!(
    /// One version of an interpretation.
    InterpretationId
);
id!(
    /// One value of one key in an interpretation.
    FieldId
);
id!(
    /// One version of a schema.
    SchemaVersionId
);
id!(
    /// A change of the schema that edits suggest.
    CandidateId
);
id!(
    /// A decision about a candidate.
    DecisionId
);

impl From<DocumentId> for SubjectId {
    fn from(id: DocumentId) -> Self {
        Self(id.0)
    }
}
