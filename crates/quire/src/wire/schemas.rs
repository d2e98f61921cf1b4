//! Built-in schemas and schema files: read, checked and stored in the database.

use std::path::{Path, PathBuf};

use quire_ports::{SeedOutcome, Store};
use quire_understanding::{SchemaFile, SchemaFormat};

use crate::config::Config;
use crate::error::CommandError;

/// Built-in schemas that came after people had files of these names. Such a file, or what the database has of one, is used instead.
const REPLACEABLE: [&str; 3] = ["receipt", "delivery-note", "laboratory-report"];
/// Maximum number of schema files.
const MAX_FILES: usize = 200;

/// A schema and where it comes from.
pub(crate) struct SchemaSource {
    pub(crate) file: SchemaFile,
    /// `None` for a built-in schema.
    pub(crate) path: Option<PathBuf>,
}

/// Stores new and changed schemas. Runs before the first document is uploaded.
pub(crate) async fn seed(store: &Store, config: &Config) -> Result<(), CommandError> {
    let sources = gather(config)?;
    for source in &sources {
        for warning in &source.file.warnings {
            tracing::warn!(
                schema = source.file.schema.name,
                file = source.location(),
                "schema file {warning}"
            );
        }
        let outcome = store.governance.seed_file(&source.file, store.clock.now()).await?;
        source.report(outcome)?;
    }
    let (default, known) = (&config.schemas.default, store.governance.schema_names().await?);
    if known.contains(default) {
        return Ok(());
    }
    Err(CommandError::new(format!(
        "schemas.default = \"{default}\": no such schema; choose one of: {}",
        known.join(", ")
    )))
}

/// The built-in schemas and those of the configured folder. Reports the problems of all files together.
pub(crate) fn gather(config: &Config) -> Result<Vec<SchemaSource>, CommandError> {
    let built_in = SchemaFile::built_in().into_iter();
    let mut sources: Vec<SchemaSource> =
        built_in.map(|file| SchemaSource { file: file.clone(), path: None }).collect();
    let mut problems: Vec<String> = Vec::new();
    for path in files(config)? {
        match load(&path) {
            Ok(file) => {
                let name = &file.schema.name;
                match sources.iter().find(|source| source.file.schema.name == *name) {
                    Some(SchemaSource { path: Some(other), .. }) => problems.push(format!(
                        "{}: the name {name} is already used by {}; rename one of them",
                        path.display(),
                        other.display()
                    )),
                    Some(SchemaSource { path: None, .. }) if REPLACEABLE.contains(&name.as_str()) => {
                        sources.retain(|source| source.file.schema.name != *name);
                        sources.push(SchemaSource { file, path: Some(path) });
                    }
                    Some(SchemaSource { path: None, .. }) => problems.push(format!(
                        "{}: the name {name} is already used by a built-in schema; choose another name",
                        path.display()
                    )),
                    None => sources.push(SchemaSource { file, path: Some(path) }),
                }
            }
            Err(error) => problems.push(error.to_string()),
        }
    }
    if problems.is_empty() { Ok(sources) } else { Err(CommandError::new(problems.join("\n"))) }
}

/// Reads and checks a schema file.
pub(crate) fn load(path: &Path) -> Result<SchemaFile, CommandError> {
    let name = path.display().to_string();
    let Some(format) = SchemaFormat::of(&name) else {
        return Err(CommandError::new(format!(
            "{name}: the name of a schema file must end with .toml or .json"
        )));
    };
    let text =
        std::fs::read_to_string(path).map_err(|error| CommandError::new(format!("{name}: {error}")))?;
    Ok(SchemaFile::parse(&name, &text, format)?)
}

/// The schema files of the folder, sorted by name. Other files (notes, editor backups) are ignored.
fn files(config: &Config) -> Result<Vec<PathBuf>, CommandError> {
    let Some(folder) = config.schemas_folder() else { return Ok(Vec::new()) };
    let unreadable =
        |error| CommandError::new(format!("cannot read the schema folder {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_file() && !name.starts_with('.') && SchemaFormat::of(&name).is_some() {
            files.push(path);
        }
    }
    if files.len() > MAX_FILES {
        return Err(CommandError::new(format!(
            "{} has more than {MAX_FILES} schema files",
            folder.display()
        )));
    }
    files.sort();
    Ok(files)
}

impl SchemaSource {
    /// `built in` or the path of the file.
    pub(crate) fn location(&self) -> String {
        self.path.as_ref().map_or_else(|| "built in".to_owned(), |path| path.display().to_string())
    }

    /// Logs the outcome. Fails for a file that changed without a new version number. A file that is older than the one of
    /// another process changes nothing: the newest version in the database counts for every process.
    fn report(&self, outcome: SeedOutcome) -> Result<(), CommandError> {
        let (schema, version) = (self.file.schema.name.as_str(), self.file.version);
        match outcome {
            SeedOutcome::Unchanged => {}
            SeedOutcome::First => tracing::info!(schema, version, "schema added"),
            SeedOutcome::Next(number) => {
                tracing::info!(
                    schema,
                    version,
                    schema_version = number,
                    "schema file changed: stored as a new version"
                );
            }
            SeedOutcome::Governed => tracing::warn!(
                schema,
                version,
                "schema file changed, but the schema was also changed by governance decisions; keeping those"
            ),
            // During an upgrade an older process shares the database with a newer one, and after a rollback it is alone.
            SeedOutcome::Older { seeded } => tracing::warn!(
                schema,
                version,
                seeded,
                file = self.location(),
                "the database has a newer version of this schema, which is used; to use this file, raise its version \
                 above that one"
            ),
            SeedOutcome::NotRaised { .. } if self.path.is_none() => tracing::warn!(
                schema,
                "the database has another schema of this name, which is used instead of the built-in one"
            ),
            SeedOutcome::NotRaised { seeded } => {
                return Err(CommandError::new(format!(
                    "{}: the schema {schema} differs from its stored version {seeded}; raise its version to {}, so that \
                     each document shows which version it was interpreted with",
                    self.location(),
                    seeded + 1
                )));
            }
        }
        Ok(())
    }
}
