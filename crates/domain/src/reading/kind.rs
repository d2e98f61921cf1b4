//! What kind of file it is, told by its content and never by its name.

use serde::{Deserialize, Serialize};

/// A kind of file that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names are the documentation.
pub enum FileKind {
    Pdf,
    Png,
    Jpeg,
    Docx,
    Text,
}
