//! Identifiers. One type per thing named, so that a run can never be passed where a subject is meant.
//!
//! They are version-7 UUIDs: unique without asking anyone, and roughly ordered by the time they were made, which
//! keeps the databases' indexes compact.

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
            /// A new identifier, never seen before.
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
    /// One life of one process that executes runs. A process that lost its lease takes a new one.
    WorkerId
);
id!(
    /// Something a run produced.
    ArtifactId
);
id!(
    /// A document that was taken in.
    DocumentId
);
id!(
    /// A key that somebody may ask with.
    KeyId
);

id!(
    /// One version of what was understood of a document.
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
