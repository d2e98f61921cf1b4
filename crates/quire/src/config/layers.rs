//! Settings by key (`engine.slots`), each with its value and its origin. Later layers override earlier ones.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::DEFAULTS;
use super::aliases::{ALIASES, Alias};
use super::show::display_value;

/// A variable with this prefix must be the name of a setting …
const PREFIX: &str = "QUIRE_";
/// … except these, which belong to tests and drills.
const NOT_SETTINGS: [&str; 2] = ["QUIRE_TEST_", "QUIRE_REHEARSAL_"];

/// A setting given on the command line.
#[derive(Clone, Debug)]
pub struct Flag {
    /// The flag, such as `--data`.
    pub name: &'static str,
    /// The key of its setting.
    pub key: &'static str,
    /// The given value.
    pub value: String,
}

/// Where the value of a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// `quire.default.toml`.
    Default,
    /// A configuration file.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// A command-line flag.
    Flag(&'static str),
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("the default"),
            Self::File(path) => path.display().fmt(f),
            Self::Environment(name) => write!(f, "environment variable {name}"),
            Self::Flag(name) => f.write_str(name),
        }
    }
}

/// Why the configuration is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A name that is no setting.
    #[error("unknown setting {name} in {origin}{suggestion}; `quire config` lists all settings")]
    Unknown {
        /// The unknown name.
        name: String,
        /// Where it was set.
        origin: SettingOrigin,
        /// The most similar known name, if one is similar.
        suggestion: String,
    },
    /// A value that is not allowed.
    #[error("{key} = {value} (from {origin}): {rule}")]
    Invalid {
        /// The setting.
        key: String,
        /// The value, without secrets.
        value: String,
        /// Where it was set.
        origin: SettingOrigin,
        /// What the value must be.
        rule: String,
    },
    /// The file cannot be read.
    #[error("cannot read the configuration file {path}: {why}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        why: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{origin} is not valid TOML: {why}")]
    NotToml {
        /// The file.
        origin: SettingOrigin,
        /// The error of the parser.
        why: String,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) value: Value,
    pub(super) origin: SettingOrigin,
}

/// Every setting by its key.
#[derive(Clone, Debug)]
pub struct Layers {
    pub(super) settings: BTreeMap<String, Setting>,
}

impl Layers {
    /// The defaults, overridden by the file, then by the environment, then by the flags.
    pub fn gather(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
        flags: &[Flag],
    ) -> Result<Self, ConfigError> {
        let mut layers = Self::defaults()?;
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .map_err(|why| ConfigError::Unreadable { path: path.to_owned(), why })?;
            layers.apply_file(path, &text)?;
        }
        layers.apply_environment(environment)?;
        for flag in flags {
            layers.set_text(flag.key, &flag.value, SettingOrigin::Flag(flag.name))?;
        }
        Ok(layers)
    }

    /// Only the defaults.
    pub fn defaults() -> Result<Self, ConfigError> {
        let settings = flatten(&parse(DEFAULTS, &SettingOrigin::Default)?)
            .into_iter()
            .map(|(key, value)| (key, Setting { value, origin: SettingOrigin::Default }));
        Ok(Self { settings: settings.collect() })
    }

    pub(super) fn apply_file(&mut self, path: &Path, text: &str) -> Result<(), ConfigError> {
        let origin = SettingOrigin::File(path.to_owned());
        for (key, value) in flatten(&parse(text, &origin)?) {
            self.set(&key, value, origin.clone())?;
        }
        Ok(())
    }

    pub(super) fn apply_environment(
        &mut self,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        let variables: BTreeMap<String, String> = variables.collect();
        for alias in ALIASES {
            if let Some(value) = variables.get(alias.name) {
                self.apply_alias(alias, value)?;
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
                    origin: SettingOrigin::Environment(name.clone()),
                    suggestion: suggestion(name, known.keys()),
                });
            };
            self.set_text(key, value, SettingOrigin::Environment(name.clone()))?;
        }
        Ok(())
    }

    fn apply_alias(&mut self, alias: &Alias, value: &str) -> Result<(), ConfigError> {
        let origin = SettingOrigin::Environment(alias.name.to_owned());
        match (alias.read)(value) {
            Ok(Some(value)) => self.set_text(alias.key, &value, origin),
            Ok(None) => Ok(()),
            Err(rule) => {
                let value = display_value(alias.key, &Value::String(value.to_owned()));
                Err(ConfigError::Invalid { key: alias.key.to_owned(), value, origin, rule: rule.to_owned() })
            }
        }
    }

    /// Sets a value from text, parsed as the type of the default.
    pub(super) fn set_text(
        &mut self,
        key: &str,
        text: &str,
        origin: SettingOrigin,
    ) -> Result<(), ConfigError> {
        let default = self.settings.get(key).map(|setting| &setting.value);
        let value = match default {
            Some(Value::Integer(_)) => text.trim().parse().ok().map(Value::Integer),
            Some(Value::Float(_)) => text.trim().parse().ok().map(Value::Float),
            Some(Value::Boolean(_)) => text.trim().parse().ok().map(Value::Boolean),
            _ => None,
        };
        // Text that does not parse stays text, and `set` refuses it as the wrong type.
        self.set(key, value.unwrap_or_else(|| Value::String(text.to_owned())), origin)
    }

    fn set(&mut self, key: &str, value: Value, origin: SettingOrigin) -> Result<(), ConfigError> {
        let Some(setting) = self.settings.get_mut(key) else {
            let suggestion = suggestion(key, self.settings.keys());
            return Err(ConfigError::Unknown { name: key.to_owned(), origin, suggestion });
        };
        let value = match (&setting.value, value) {
            #[allow(clippy::cast_precision_loss)] // No ratio is near 2^53.
            (Value::Float(_), Value::Integer(whole)) => Value::Float(whole as f64),
            // These settings are a number or "default".
            (Value::String(_), Value::Integer(number)) if key.starts_with("limits.") => {
                Value::String(number.to_string())
            }
            (_, value) => value,
        };
        let has_type = setting.value.same_type(&value);
        let rule = format!("must be {}", type_name(&setting.value));
        *setting = Setting { value, origin };
        if has_type { Ok(()) } else { Err(self.invalid(key, rule)) }
    }

    /// The error for an invalid value of this setting.
    pub(super) fn invalid(&self, key: &str, rule: String) -> ConfigError {
        let (value, origin) = match self.settings.get(key) {
            Some(setting) => (display_value(key, &setting.value), setting.origin.clone()),
            None => (String::new(), SettingOrigin::Default),
        };
        ConfigError::Invalid { key: key.to_owned(), value, origin, rule }
    }

    /// The settings as nested TOML tables.
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
                    // No key of the defaults is both a value and a section.
                    _ => break,
                }
            }
        }
        root
    }
}

/// The name of the environment variable of a key.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

fn parse(text: &str, origin: &SettingOrigin) -> Result<Table, ConfigError> {
    text.parse::<Table>().map_err(|error| {
        // The line number without the line, which may contain a password.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        ConfigError::NotToml { origin: origin.clone(), why: format!("line {line}: {}", error.message()) }
    })
}

fn flatten(table: &Table) -> Vec<(String, Value)> {
    fn walk(prefix: &str, table: &Table, found: &mut Vec<(String, Value)>) {
        for (name, value) in table {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                Value::Table(inner) if !inner.is_empty() => walk(&key, inner, found),
                // An empty section is ignored, whatever its name.
                Value::Table(_) => {}
                _ => found.push((key, value.clone())),
            }
        }
    }
    let mut found = Vec::new();
    walk("", table, &mut found);
    found
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        _ => "text in quotes",
    }
}

/// " (did you mean …?)" for a name that is similar to a known one.
fn suggestion<'k>(name: &str, known: impl Iterator<Item = &'k String>) -> String {
    let nearest = known.map(|key| (distance(name, key), key)).min();
    match nearest {
        Some((far, key)) if far <= (name.len() / 3).max(2) => format!(" (did you mean {key}?)"),
        _ => String::new(),
    }
}

/// The Levenshtein distance of two names.
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
