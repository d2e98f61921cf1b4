//! Schema files: TOML or JSON that people write. A file is checked completely before it is used.

use std::fmt;

use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use super::Schema;
use super::file_reader::{Problems, TableReader};

/// The largest file, in bytes.
const MAX_FILE_BYTES: usize = 256 << 10;

/// The format of a schema file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names say it.
pub enum SchemaFormat {
    Toml,
    Json,
}

impl SchemaFormat {
    /// The format by the extension of a file name.
    pub fn of(file_name: &str) -> Option<Self> {
        let (_, ending) = file_name.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "toml" => Some(Self::Toml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// A schema file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFile {
    /// The version of the file. Every change of the file raises it.
    pub version: u32,
    /// The schema in the file.
    pub schema: Schema,
    /// The hash of the content. The version, comments and the order of members do not change it.
    pub content_hash: [u8; 32],
    /// What should be changed in the file. The file can be used nevertheless.
    pub warnings: Vec<SchemaProblem>,
}

/// A problem of a schema file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// The path of the member, such as `keys.total_amount.labels.es`. Empty for the file as a whole.
    pub path: String,
    /// What is wrong and what to do.
    pub reason: String,
}

/// A file that is not a valid schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSchema {
    /// The name of the file.
    pub file: String,
    /// All problems of the file. Never empty.
    pub problems: Vec<SchemaProblem>,
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(formatter, "{}", self.reason),
            path => write!(formatter, "{path} {}", self.reason),
        }
    }
}

impl fmt::Display for InvalidSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems: Vec<String> = self.problems.iter().map(SchemaProblem::to_string).collect();
        match &problems[..] {
            [only] => write!(formatter, "{}: {only}", self.file),
            several => {
                write!(formatter, "{}: {} problems", self.file, several.len())?;
                several.iter().try_for_each(|problem| write!(formatter, "\n  {problem}"))
            }
        }
    }
}

impl std::error::Error for InvalidSchema {}

impl SchemaFile {
    /// Reads and checks a file. `file` is its name in messages.
    pub fn parse(file: &str, text: &str, format: SchemaFormat) -> Result<Self, InvalidSchema> {
        let bad = |problems: Vec<SchemaProblem>| InvalidSchema { file: file.to_owned(), problems };
        let whole = |reason: String| bad(vec![SchemaProblem { path: String::new(), reason }]);
        if text.len() > MAX_FILE_BYTES {
            return Err(whole(format!(
                "has {} KB; the limit is {} KB",
                text.len().div_ceil(1024),
                MAX_FILE_BYTES / 1024
            )));
        }
        let mut table = table(text, format).map_err(whole)?;
        let problems = Problems::default();
        let read = read(&table, &problems);
        let (problems, warnings) = problems.into_problems_and_warnings();
        match read {
            Some((version, schema)) if problems.is_empty() => {
                table.remove("version");
                Ok(Self { version, schema, content_hash: hash(&table), warnings })
            }
            _ => Err(bad(problems)),
        }
    }

    /// A schema that comes from no file, as version 1 of one.
    pub fn of(schema: &Schema) -> Self {
        Self { version: 1, schema: schema.clone(), content_hash: hash(schema), warnings: Vec::new() }
    }

    /// The schemas that come with the program.
    pub fn built_in() -> [&'static Self; 6] {
        super::built_in::all()
    }
}

fn table(text: &str, format: SchemaFormat) -> Result<Table, String> {
    match format {
        SchemaFormat::Toml => {
            text.parse::<Table>().map_err(|error| format!("is not valid TOML: {}", error.to_string().trim()))
        }
        SchemaFormat::Json => match serde_json::from_str::<Value>(text) {
            Ok(Value::Table(table)) => Ok(table),
            Ok(_) => Err("must be an object".to_owned()),
            Err(error) => Err(format!("is not valid JSON: {error}")),
        },
    }
}

/// The version and the schema. Problems are added to `problems`; the result is none only if there are some.
fn read(table: &Table, problems: &Problems) -> Option<(u32, Schema)> {
    let mut fields = TableReader::new(table, String::new(), problems);
    let version = fields.version();
    let schema = super::file_reader::schema(&mut fields);
    fields.refuse_unknown();
    super::check::check(&schema, problems);
    Some((version?, schema))
}

/// Maps are sorted in both formats, so the order of members does not change the hash.
fn hash(content: &impl serde::Serialize) -> [u8; 32] {
    // Content that was parsed can be serialised.
    let bytes = serde_json::to_vec(content).unwrap_or_default();
    Sha256::digest(&bytes).into()
}
