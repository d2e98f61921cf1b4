//! Data that a file contains beside what its pages show, such as the XML of an e-invoice or the fields of a form.

use serde::{Deserialize, Serialize};

/// The data of one embedded file, or of a document that consists of data only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddedData {
    /// The name of the embedded file. Empty if the document itself is the data.
    pub file: String,
    /// The syntax of the data, such as `UBL Invoice`.
    pub syntax: String,
    /// The values, in the order of the terms.
    pub values: Vec<DataValue>,
    /// Where the values contradict each other.
    pub findings: Vec<DataFinding>,
    /// Why the data could not be read, for people. The document is then read from its pages alone.
    pub problem: Option<String>,
}

impl EmbeddedData {
    /// The syntax of the fields of a PDF form.
    pub const FORM: &str = "AcroForm";

    /// Whether people typed its values into a form.
    pub fn is_form(&self) -> bool {
        self.syntax == Self::FORM
    }

    /// Whether the data alone says what the document says. A form says it together with the text around its fields.
    pub fn is_document(&self) -> bool {
        !self.values.is_empty() && !self.is_form()
    }
}

/// One value of the data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataValue {
    /// What the value is: as the standard of the data numbers it, `BT-1`, or the name of a form field.
    pub term: String,
    /// The value. Dates are `YYYY-MM-DD`, numbers have a decimal point.
    pub text: String,
    /// Where it stands in the data.
    pub path: String,
    /// The line or part that it belongs to, from 1; 0 for values of the whole.
    pub group: u32,
}

/// A value that contradicts other values of the same data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFinding {
    /// The term of the value.
    pub term: String,
    /// The value that would fit the others.
    pub expected: String,
    /// What contradicts what, for people.
    pub message: String,
}
