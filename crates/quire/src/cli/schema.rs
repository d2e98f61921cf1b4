//! `quire schema`

mod draft;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Subcommand;
use quire_ports::{PortError, SchemaVersion, Store};
use quire_understanding::{Schema, SchemaFile};
use serde_json::json;

use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// List, show, check and propose the schemas of documents
///
/// A schema says which keys a kind of document has and which labels they have in the text. Some are built in. To add one,
/// put its file in the folder `schemas` in the data folder and restart the server. Needs neither a server nor a database.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  \
    quire schema list\n  \
    quire schema show invoice --toml > schemas/my-invoice.toml\n  \
    quire schema check schemas/my-invoice.toml\n  \
    quire schema draft examples/ --name order > schemas/order.toml\n\n\
    docs/guide/schemas.md describes the format of these files.")]
pub(super) enum SchemaCommand {
    /// List all schemas: built in, from files, and stored in the database
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the keys of a schema
    Show {
        /// Name of the schema
        name: String,
        /// Stored version [default: the newest]
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        /// Print the whole schema as JSON
        #[arg(long, conflicts_with = "toml")]
        json: bool,
        /// Print a schema file, to edit and add under another name
        #[arg(long)]
        toml: bool,
    },
    /// Check schema files and print their keys
    ///
    /// Prints every problem. The exit code is 1 if there is one.
    Check {
        /// Schema files (.toml or .json)
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Propose a schema from examples
    ///
    /// Reads the documents of a folder and prints a schema file with the labels that recur, the types of their values, the
    /// headings above them and the tables. Edit it before you use it. Five to twenty examples of one kind are best.
    Draft(draft::DraftCommand),
}

impl SchemaCommand {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        let text = match self {
            Self::Check { files } => return check(&files),
            Self::Draft(command) => command.run(config).await?,
            Self::List { json } => list(config, json).await?,
            Self::Show { name, version, json, toml } => {
                let schema = find(config, &name, version).await?;
                match (json, toml) {
                    (true, _) => output::json(&schema.to_json()),
                    (_, true) => schema.to_toml(),
                    _ => describe(schema.definition(), &schema.version_label()),
                }
            }
        };
        output::print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// A schema to show: a stored version, or a file that no server has stored yet.
enum FoundSchema {
    Stored(SchemaVersion),
    File(SchemaFile),
}

/// Checks each file and prints every problem.
fn check(files: &[PathBuf]) -> Result<ExitCode, CommandError> {
    let mut all_valid = true;
    for path in files {
        match wire::schemas::load(path) {
            Ok(file) => output::print(&checked(path, &file))?,
            Err(error) => {
                all_valid = false;
                error.print();
            }
        }
    }
    Ok(if all_valid { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn checked(path: &Path, SchemaFile { version, schema, warnings, .. }: &SchemaFile) -> String {
    let path = path.display();
    let mut text = format!(
        "{path} is valid.
"
    );
    for warning in warnings {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "warning: {path}: {warning}");
    }
    text + &describe(schema, &format!("version {version}"))
}

/// The name, version and title of a schema, then a table of its keys.
fn describe(schema: &Schema, version: &str) -> String {
    let mut text = format!("{}, {version}: {}\n", schema.name, schema.title("en"));
    let rows: Vec<[String; 6]> = schema
        .keys
        .iter()
        .map(|key| {
            let flags = [
                ("critical", key.critical),
                ("repeatable", key.repeatable),
                ("optional", key.optional),
                ("at visits", key.at_visits),
            ];
            let flags: Vec<&str> =
                flags.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name).collect();
            [
                key.key.clone(),
                key.section.as_deref().map_or("", |id| schema.section_title(id, "en")).to_owned(),
                key.value_type.as_str().to_owned(),
                key.normaliser.as_str().to_owned(),
                flags.join(", "),
                (key.labels.len() + key.shared_labels.len()).to_string(),
            ]
        })
        .collect();
    text.push_str(&output::table(["KEY", "SECTION", "TYPE", "NORMALISER", "FLAGS", "LABELS"], &rows));
    let visits = schema.visit_date().map(|key| schema.keys[key].key.as_str());
    let visits = visits.map_or_else(|| "no visits".to_owned(), |key| format!("visits by {key}"));
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{} keys, {visits}", schema.keys.len());
    text
}

async fn list(config: &Config, as_json: bool) -> Result<String, CommandError> {
    let store = wire::open_if_present(config).await?;
    let sources = wire::schemas::gather(config)?;
    let mut rows: Vec<[String; 5]> = Vec::new();
    let mut names = stored_names(store.as_ref()).await?;
    names.extend(sources.iter().map(|source| source.file.schema.name.clone()));
    names.sort();
    names.dedup();
    for name in names {
        let source = sources.iter().find(|source| source.file.schema.name == name);
        let location =
            source.map_or_else(|| "database only".to_owned(), wire::schemas::SchemaSource::location);
        let stored = match &store {
            Some(store) => store.governance.current_schema(&name).await.ok(),
            None => None,
        };
        // A file that no server has stored yet has no version.
        let version = stored.as_ref().map_or_else(|| "-".to_owned(), |version| version.number.to_string());
        let schema =
            stored.as_ref().map(|version| &version.schema).or(source.map(|source| &source.file.schema));
        let (keys, title) = schema.map_or((0, ""), |schema| (schema.keys.len(), schema.title("en")));
        rows.push([name.clone(), version, keys.to_string(), title.to_owned(), location]);
    }
    if as_json {
        let row = |[name, version, keys, title, source]: &[String; 5]| {
            json!({
                "name": name,
                "version": version.parse::<u32>().ok(),
                "keys": keys.parse::<u32>().ok(),
                "title": title,
                "source": source,
            })
        };
        return Ok(output::json(&rows.iter().map(row).collect()));
    }
    Ok(output::table(["NAME", "VERSION", "KEYS", "TITLE", "SOURCE"], &rows))
}

async fn stored_names(store: Option<&Store>) -> Result<Vec<String>, CommandError> {
    match store {
        Some(store) => Ok(store.governance.schema_names().await?),
        None => Ok(Vec::new()),
    }
}

/// The stored version, or the newest one without `number`. A schema that is not stored is taken from its file.
async fn find(config: &Config, name: &str, number: Option<u32>) -> Result<FoundSchema, CommandError> {
    let store = wire::open_if_present(config).await?;
    let missing = match &store {
        Some(store) => {
            let found = match number {
                Some(number) => store.governance.schema(name, number).await,
                None => store.governance.current_schema(name).await,
            };
            match found {
                Err(PortError::NotFound(what)) => format!("there is no {what}"),
                found => return Ok(FoundSchema::Stored(found?)),
            }
        }
        None => format!("there is no schema {name}"),
    };
    let stored = stored_names(store.as_ref()).await?;
    let sources = wire::schemas::gather(config)?;
    let file = sources.iter().find(|source| source.file.schema.name == name);
    match (file, number) {
        (Some(source), None) => Ok(FoundSchema::File(source.file.clone())),
        (Some(_), Some(number)) if !stored.iter().any(|stored| stored == name) => {
            Err(CommandError::new(format!(
                "there is no version {number} of schema {name}: no server has stored it yet; leave out --version to see \
                 its file"
            )))
        }
        _ => {
            let mut names = stored;
            names.extend(sources.into_iter().map(|source| source.file.schema.name));
            names.sort();
            names.dedup();
            Err(CommandError::new(format!("{missing}; there are: {}", names.join(", "))))
        }
    }
}

impl FoundSchema {
    fn definition(&self) -> &Schema {
        match self {
            Self::Stored(version) => &version.schema,
            Self::File(file) => &file.schema,
        }
    }

    fn version_label(&self) -> String {
        match self {
            Self::Stored(version) => format!("version {}", version.number),
            Self::File(file) => format!("version {} of its file, not stored yet", file.version),
        }
    }

    fn to_toml(&self) -> String {
        match self {
            Self::Stored(version) => version.schema.to_toml(version.number),
            Self::File(file) => file.schema.to_toml(file.version),
        }
    }

    /// The same members in both cases. A file has no stored version, so those are null.
    fn to_json(&self) -> serde_json::Value {
        let stored = match self {
            Self::Stored(version) => Some(version),
            Self::File(_) => None,
        };
        json!({
            "schema_version_id": stored.map(|version| version.id),
            "schema_name": self.definition().name,
            "version_number": stored.map(|version| version.number),
            "created_at": stored.map(|version| version.created_at),
            "created_by": stored.map(|version| &version.created_by),
            "change_summary": stored.and_then(|version| version.change_summary.as_ref()),
            "schema_definition": self.definition(),
        })
    }
}
