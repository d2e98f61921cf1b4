//! The schemas that come with the program and those that people add: read, checked and put into the database.

use std::path::{Path, PathBuf};

use quire_ports::{SeedOutcome, Store};
use quire_understanding::{SchemaFile, SchemaFormat};

use crate::config::Config;
use crate::trouble::Trouble;

/// Files of schemas at most.
const MOST: usize = 200;

/// A schema, and where it comes from.
pub(crate) struct Source {
    pub(crate) file: SchemaFile,
    /// The file that somebody added; none for those that come with the program.
    pub(crate) path: Option<PathBuf>,
}

/// All schemas are in the database before the first document is.
pub(crate) async fn seed(store: &Store, config: &Config) -> Result<(), Trouble> {
    let sources = gather(config)?;
    for source in &sources {
        for warning in &source.file.warnings {
            tracing::warn!(schema = source.file.schema.name, file = source.place(), "schema file {warning}");
        }
        let seeded = store.governance.seed_file(&source.file, store.clock.now()).await?;
        source.tell(seeded)?;
    }
    let (default, known) = (&config.schemas.default, store.governance.schema_names().await?);
    if known.contains(default) {
        return Ok(());
    }
    Err(Trouble::new(format!(
        "schemas.default is \"{default}\", and there is no such schema; choose one of: {}",
        known.join(", ")
    )))
}

/// Those that come with the program, and those in the folder.
pub(crate) fn gather(config: &Config) -> Result<Vec<Source>, Trouble> {
    let built_in = SchemaFile::built_in().into_iter();
    let mut sources: Vec<Source> = built_in.map(|file| Source { file: file.clone(), path: None }).collect();
    let mut troubles: Vec<String> = Vec::new();
    for path in files(config)? {
        match load(&path) {
            Ok(file) => {
                let name = &file.schema.name;
                match sources.iter().find(|source| source.file.schema.name == *name) {
                    Some(Source { path: Some(other), .. }) => troubles.push(format!(
                        "{}: its name {name} is that of {}; name one of them otherwise",
                        path.display(),
                        other.display()
                    )),
                    Some(Source { path: None, .. }) => troubles.push(format!(
                        "{}: its name {name} is that of a schema that comes with the program; name it otherwise",
                        path.display()
                    )),
                    None => sources.push(Source { file, path: Some(path) }),
                }
            }
            Err(trouble) => troubles.push(trouble.to_string()),
        }
    }
    if troubles.is_empty() { Ok(sources) } else { Err(Trouble::new(troubles.join("\n"))) }
}

/// Reads the file of a schema and checks it.
pub(crate) fn load(path: &Path) -> Result<SchemaFile, Trouble> {
    let shown = path.display().to_string();
    let Some(format) = SchemaFormat::of(&shown) else {
        return Err(Trouble::new(format!("{shown}: the name of a schema's file ends with .toml or .json")));
    };
    let text = std::fs::read_to_string(path).map_err(|error| Trouble::new(format!("{shown}: {error}")))?;
    Ok(SchemaFile::parse(&shown, &text, format)?)
}

/// The files in the folder, in the order of their names. What ends otherwise is passed over: notes, copies of editors.
fn files(config: &Config) -> Result<Vec<PathBuf>, Trouble> {
    let Some(folder) = config.schemas_folder() else { return Ok(Vec::new()) };
    let unreadable = |error| Trouble::new(format!("the folder of schemas {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_file() && !name.starts_with('.') && SchemaFormat::of(&name).is_some() {
            files.push(path);
        }
    }
    if files.len() > MOST {
        return Err(Trouble::new(format!("{} has more than {MOST} schemas", folder.display())));
    }
    files.sort();
    Ok(files)
}

impl Source {
    /// Where it comes from, for people.
    pub(crate) fn place(&self) -> String {
        self.path.as_ref().map_or_else(|| "built in".to_owned(), |path| path.display().to_string())
    }

    /// Says what became of it; stops who would go on with a file that was changed without a word.
    fn tell(&self, seeded: SeedOutcome) -> Result<(), Trouble> {
        let (schema, version) = (self.file.schema.name.as_str(), self.file.version);
        match seeded {
            SeedOutcome::Unchanged => {}
            SeedOutcome::First => tracing::info!(schema, version, "added a schema"),
            SeedOutcome::Next(number) => {
                tracing::info!(schema, version, schema_version = number, "the file of a schema has changed");
            }
            SeedOutcome::Governed => tracing::warn!(
                schema,
                version,
                "the file of a schema has changed, but so have people who govern it; theirs is kept"
            ),
            // Programs of two ages may work on one database; the newer one's is kept.
            SeedOutcome::NotRaised { seeded } if self.path.is_none() && seeded > version => {
                tracing::info!(
                    schema,
                    version,
                    seeded,
                    "the database has a newer version of a built-in schema"
                );
            }
            SeedOutcome::NotRaised { seeded } => {
                return Err(Trouble::new(format!(
                    "{}: the schema {schema} says something else than its version {seeded} did; raise its version \
                     to {}, so that it is known which documents were understood by which",
                    self.place(),
                    seeded + 1
                )));
            }
        }
        Ok(())
    }
}
