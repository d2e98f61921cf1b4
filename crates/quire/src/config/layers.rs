//! Settings by their path (`engine.slots`), each with its value and where it came from, laid over one another.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::DEFAULTS;
use super::aliases::{ALIASES, Alias};
use super::show::shown;

/// Variables with this beginning are Quire's, and must be known.
const PREFIX: &str = "QUIRE_";
/// Except these, which belong to tests and drills.
const NOT_SETTINGS: [&str; 2] = ["QUIRE_TEST_", "QUIRE_REHEARSAL_"];

/// A setting given on the command line.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The flag, as typed.
    pub name: &'static str,
    /// The setting it stands for.
    pub key: &'static str,
    /// What was given.
    pub value: String,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// This file.
    File(PathBuf),
    /// This environment variable.
    Environment(String),
    /// This flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the default"),
            Self::File(path) => path.display().fmt(f),
            Self::Environment(name) => write!(f, "environment variable {name}"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Somebody set something that is no setting.
    #[error("unknown setting {name} in {origin}{suggestion}; `quire config` lists all settings")]
    Unknown {
        /// As it was written.
        name: String,
        /// Where.
        origin: Origin,
        /// The nearest known name, if one is near.
        suggestion: String,
    },
    /// A value that is not allowed.
    #[error("{key} = {value} (from {origin}): {rule}")]
    Bad {
        /// The setting.
        key: String,
        /// The value, without secrets.
        value: String,
        /// Where it was set.
        origin: Origin,
        /// What is allowed.
        rule: String,
    },
    /// The file cannot be read.
    #[error("the configuration file {path} cannot be read: {why}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{origin} is not valid TOML: {why}")]
    NotToml {
        /// The file.
        origin: Origin,
        /// What the parser said.
        why: String,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) value: Value,
    pub(super) origin: Origin,
}

/// Every setting by its path.
#[derive(Clone, Debug)]
pub struct Layers {
    pub(super) settings: BTreeMap<String, Setting>,
}

impl Layers {
    /// The default, the file, the environment and the flags, each over the one before.
    pub fn gather(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
        flags: &[Flag],
    ) -> Result<Self, ConfigError> {
        let mut layers = Self::defaults()?;
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .map_err(|why| ConfigError::Unreadable { path: path.to_owned(), why })?;
            layers.lay_file(path, &text)?;
        }
        layers.lay_environment(environment)?;
        for flag in flags {
            layers.set_text(flag.key, &flag.value, Origin::Flag(flag.name))?;
        }
        Ok(layers)
    }

    /// Nothing but the defaults.
    pub fn defaults() -> Result<Self, ConfigError> {
        let settings = flat(&parse(DEFAULTS, &Origin::Default)?)
            .into_iter()
            .map(|(key, value)| (key, Setting { value, origin: Origin::Default }));
        Ok(Self { settings: settings.collect() })
    }

    pub(super) fn lay_file(&mut self, path: &Path, text: &str) -> Result<(), ConfigError> {
        let origin = Origin::File(path.to_owned());
        for (key, value) in flat(&parse(text, &origin)?) {
            self.set(&key, value, origin.clone())?;
        }
        Ok(())
    }

    pub(super) fn lay_environment(
        &mut self,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        let variables: BTreeMap<String, String> = variables.collect();
        for alias in ALIASES {
            if let Some(value) = variables.get(alias.name) {
                self.lay_alias(alias, value)?;
            }
        }
        let known: BTreeMap<String, String> =
            self.settings.keys().map(|key| (variable(key), key.clone())).collect();
        for (name, value) in &variables {
            if !name.starts_with(PREFIX) || NOT_SETTINGS.iter().any(|prefix| name.starts_with(prefix)) {
                continue;
            }
            let Some(key) = known.get(name) else {
                return Err(ConfigError::Unknown {
                    name: name.clone(),
                    origin: Origin::Environment(name.clone()),
                    suggestion: suggestion(name, known.keys()),
                });
            };
            self.set_text(key, value, Origin::Environment(name.clone()))?;
        }
        Ok(())
    }

    fn lay_alias(&mut self, alias: &Alias, value: &str) -> Result<(), ConfigError> {
        let origin = Origin::Environment(alias.name.to_owned());
        match (alias.read)(value) {
            Ok(Some(value)) => self.set_text(alias.key, &value, origin),
            Ok(None) => Ok(()),
            Err(rule) => {
                let value = shown(alias.key, &Value::String(value.to_owned()));
                Err(ConfigError::Bad { key: alias.key.to_owned(), value, origin, rule: rule.to_owned() })
            }
        }
    }

    /// Sets from text, read as the kind of value that the default is.
    pub(super) fn set_text(&mut self, key: &str, text: &str, origin: Origin) -> Result<(), ConfigError> {
        let kind = self.settings.get(key).map(|setting| &setting.value);
        let value = match kind {
            Some(Value::Integer(_)) => text.trim().parse().ok().map(Value::Integer),
            Some(Value::Float(_)) => text.trim().parse().ok().map(Value::Float),
            Some(Value::Boolean(_)) => text.trim().parse().ok().map(Value::Boolean),
            _ => None,
        };
        // What cannot be read stays text, which is then refused as the wrong kind.
        self.set(key, value.unwrap_or_else(|| Value::String(text.to_owned())), origin)
    }

    fn set(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), ConfigError> {
        let Some(setting) = self.settings.get_mut(key) else {
            let suggestion = suggestion(key, self.settings.keys());
            return Err(ConfigError::Unknown { name: key.to_owned(), origin, suggestion });
        };
        let value = match (&setting.value, value) {
            #[allow(clippy::cast_precision_loss)] // Nobody writes a ratio of 2^53.
            (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
            // Numbers that can also be "default".
            (Value::String(_), Value::Integer(number)) if key.starts_with("limits.") => {
                Value::String(number.to_string())
            }
            (_, value) => value,
        };
        let fits = setting.value.same_type(&value);
        let rule = format!("must be {}", kind_of(&setting.value));
        *setting = Setting { value, origin };
        if fits { Ok(()) } else { Err(self.bad(key, rule)) }
    }

    /// That this setting's value is not allowed.
    pub(super) fn bad(&self, key: &str, rule: String) -> ConfigError {
        let (value, origin) = match self.settings.get(key) {
            Some(setting) => (shown(key, &setting.value), setting.origin.clone()),
            None => (String::new(), Origin::Default),
        };
        ConfigError::Bad { key: key.to_owned(), value, origin, rule }
    }

    /// The settings as the tables they came from.
    pub(super) fn nested(&self) -> Table {
        let mut root = Table::new();
        for (key, setting) in &self.settings {
            let mut table = &mut root;
            let mut parts = key.split('.').peekable();
            while let Some(part) = parts.next() {
                if parts.peek().is_none() {
                    table.insert(part.to_owned(), setting.value.clone());
                    break;
                }
                let inner = table.entry(part).or_insert_with(|| Value::Table(Table::new()));
                match inner {
                    Value::Table(inner) => table = inner,
                    // The defaults have no key that is both a value and a section; a test reads them.
                    _ => break,
                }
            }
        }
        root
    }
}

/// The environment variable of a key.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

fn parse(text: &str, origin: &Origin) -> Result<Table, ConfigError> {
    text.parse::<Table>().map_err(|error| {
        // Where, and what, but not the line itself: it may hold a password.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        ConfigError::NotToml { origin: origin.clone(), why: format!("line {line}: {}", error.message()) }
    })
}

fn flat(table: &Table) -> Vec<(String, Value)> {
    fn walk(prefix: &str, table: &Table, found: &mut Vec<(String, Value)>) {
        for (name, value) in table {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                Value::Table(inner) if !inner.is_empty() => walk(&key, inner, found),
                // An empty section says nothing, whatever its name.
                Value::Table(_) => {}
                _ => found.push((key, value.clone())),
            }
        }
    }
    let mut found = Vec::new();
    walk("", table, &mut found);
    found
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        _ => "text in quotes",
    }
}

/// " (did you mean …?)" for a name that is near a known one.
fn suggestion<'k>(name: &str, known: impl Iterator<Item = &'k String>) -> String {
    let nearest = known.map(|key| (distance(name, key), key)).min();
    match nearest {
        Some((far, key)) if far <= (name.len() / 3).max(2) => format!(" (did you mean {key}?)"),
        _ => String::new(),
    }
}

/// How many letters have to be changed, added or dropped to get from one name to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
