//! Reads the tables of a schema file member by member and collects all problems.

use std::cell::{Cell, RefCell};

use quire_domain::reading::Extractor;
use toml::{Table, Value};

use super::old_panels::{StoredKey, StoredSchema};
use super::{
    ANY_LANGUAGE, Bound, KNOWN_LANGUAGES, Schema, SchemaKey, SchemaProblem, Scope, Section, SectionHeading,
    TableColumn, Titles, Validators, WordList,
};
use crate::normal::fold;
use crate::{Normaliser, ValueType};

/// The most problems that are reported for one file.
const MAX_PROBLEMS: usize = 50;
/// The longest word or title, in characters.
const MAX_TEXT_CHARS: usize = 200;
/// The most words of one list.
const MAX_WORDS: usize = 500;
/// The most tables of one kind: keys, headings, sections.
const MAX_TABLES: usize = 500;

/// Members that are still read but not offered in messages.
const OLD_MEMBERS: [&str; 2] = ["panels", "panel"];
const OLD_NAMES_WARNING: &str = "uses the old names \"panels\" and \"panel\" for sections. Rename [[panels]] to [[sections]] and \
     panel to section. Until then, the panels are the sections of the form, and the section of a key counts only if the \
     file has no panels";

/// The problems and warnings of a file.
#[derive(Default)]
pub(super) struct Problems {
    problems: RefCell<Vec<SchemaProblem>>,
    /// Whether the file uses the old names `panels` and `panel`.
    has_panels: Cell<bool>,
}

impl Problems {
    pub fn add(&self, path: &str, reason: impl Into<String>) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MAX_PROBLEMS {
            problems.push(SchemaProblem { path: path.to_owned(), reason: reason.into() });
        }
    }

    /// The problems, which make the file unusable, and the warnings, which do not.
    pub fn into_problems_and_warnings(self) -> (Vec<SchemaProblem>, Vec<SchemaProblem>) {
        let old_names = SchemaProblem { path: String::new(), reason: OLD_NAMES_WARNING.to_owned() };
        (self.problems.into_inner(), self.has_panels.get().then_some(old_names).into_iter().collect())
    }
}

/// Reads the members of a table one by one.
pub(super) struct TableReader<'t> {
    table: &'t Table,
    path: String,
    problems: &'t Problems,
    known_members: Vec<&'static str>,
}

impl<'t> TableReader<'t> {
    pub fn new(table: &'t Table, path: String, problems: &'t Problems) -> Self {
        Self { table, path, problems, known_members: Vec::new() }
    }

    fn path(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn problem(&self, name: &str, reason: impl Into<String>) {
        self.problems.add(&self.path(name), reason);
    }

    fn get(&mut self, name: &'static str) -> Option<&'t Value> {
        self.known_members.push(name);
        self.table.get(name)
    }

    /// Adds a problem for every member that was not read.
    pub fn refuse_unknown(&self) {
        for name in self.table.keys().filter(|name| !self.known_members.contains(&name.as_str())) {
            let known: Vec<&str> =
                self.known_members.iter().copied().filter(|name| !OLD_MEMBERS.contains(name)).collect();
            let known = known.join(", ");
            self.problem(name, format!("is unknown; use one of: {known}"));
        }
    }

    fn text(&mut self, name: &'static str) -> Option<String> {
        match self.get(name)? {
            Value::String(text) if !text.trim().is_empty() && text.chars().count() <= MAX_TEXT_CHARS => {
                Some(text.trim().to_owned())
            }
            Value::String(_) => {
                self.problem(name, format!("must have 1 to {MAX_TEXT_CHARS} characters"));
                None
            }
            _ => {
                self.problem(name, "must be text");
                None
            }
        }
    }

    /// The section of a key or a heading under its old name.
    fn panel(&mut self) -> Option<String> {
        let panel = self.text("panel")?;
        self.problems.has_panels.set(true);
        Some(panel)
    }

    fn required(&mut self, name: &'static str) -> String {
        let is_missing = !self.table.contains_key(name);
        let text = self.text(name);
        if is_missing {
            self.problem(name, "is missing");
        }
        text.unwrap_or_default()
    }

    fn extractor(&mut self) -> Option<Extractor> {
        let name = self.text("extractor")?;
        let extractor = Extractor::parse(&name);
        if extractor.is_err() {
            self.problem(
                "extractor",
                format!("must be one of: {}", Extractor::ALL.map(Extractor::as_str).join(", ")),
            );
        }
        extractor.ok()
    }

    /// The languages of the documents. Each is one that the program knows.
    fn languages(&mut self) -> Vec<String> {
        let languages = self.names("languages");
        for (at, language) in languages.iter().enumerate() {
            let path = format!("languages.{}", at + 1);
            if !KNOWN_LANGUAGES.contains(&language.as_str()) {
                let known = KNOWN_LANGUAGES.join(", ");
                self.problem(&path, format!("is unknown: \"{language}\"; use one of {known}"));
            } else if languages[..at].contains(language) {
                self.problem(&path, format!("repeats \"{language}\"; remove it"));
            }
        }
        languages
    }

    fn flag(&mut self, name: &'static str) -> bool {
        match self.get(name) {
            None => false,
            Some(Value::Boolean(flag)) => *flag,
            Some(_) => {
                self.problem(name, "must be true or false");
                false
            }
        }
    }

    pub fn version(&mut self) -> Option<u32> {
        let version = match self.get("version") {
            Some(Value::Integer(version)) => u32::try_from(*version).ok().filter(|version| *version > 0),
            _ => None,
        };
        if version.is_none() {
            self.problem("version", "must be a whole number from 1; raise it with every change");
        }
        version
    }

    fn number(&mut self, name: &'static str) -> Option<f64> {
        #[allow(clippy::cast_precision_loss)] // Bounds of that size do not occur.
        let number = match self.get(name)? {
            Value::Integer(number) => Some(*number as f64),
            Value::Float(number) => Some(*number).filter(|number| number.is_finite()),
            _ => None,
        };
        if number.is_none() {
            self.problem(name, "must be a number");
        }
        number
    }

    /// One of a closed set of names.
    fn one_of<T: Copy>(&mut self, name: &'static str, all: &[(&str, T)]) -> Option<T> {
        let given = self.text(name)?;
        let found = all.iter().find(|(known, _)| *known == given).map(|(_, one)| *one);
        if found.is_none() {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            self.problem(name, format!("is unknown: \"{given}\"; use one of {}", names.join(", ")));
        }
        found
    }

    fn titles(&mut self, name: &'static str) -> Titles {
        let Some(value) = self.get(name) else { return Titles::new() };
        let Value::Table(table) = value else {
            self.problem(name, "must give titles by language, such as { es = \"Fecha\", en = \"Date\" }");
            return Titles::new();
        };
        let mut titles = Titles::new();
        for (language, title) in table {
            let path = format!("{name}.{language}");
            match title {
                _ if !is_language(language) => self.problem(&path, NOT_A_LANGUAGE),
                Value::String(title) if is_title(title) => {
                    titles.insert(language.clone(), title.trim().to_owned());
                }
                _ => self.problem(&path, format!("must be text of 1 to {MAX_TEXT_CHARS} characters")),
            }
        }
        titles
    }

    /// Words folded to lower case without accents, as a list or as lists by language.
    fn words(&mut self, name: &'static str) -> WordList {
        match self.get(name) {
            None => WordList::default(),
            Some(Value::Array(list)) => WordList::from(self.list(name, list, true)),
            Some(Value::Table(table)) => {
                let mut parts = Vec::new();
                for (language, list) in table {
                    let path = format!("{name}.{language}");
                    match list {
                        _ if !is_language(language) && language != ANY_LANGUAGE => {
                            self.problem(&path, NOT_A_LANGUAGE);
                        }
                        Value::Array(list) => parts.push((language.clone(), self.list(&path, list, true))),
                        _ => self.problem(&path, "must be a list of words"),
                    }
                }
                WordList::by_language(parts)
            }
            Some(_) => {
                self.problem(name, "must be a list of words, or lists by language");
                WordList::default()
            }
        }
    }

    /// A list of words that are not folded.
    fn names(&mut self, name: &'static str) -> Vec<String> {
        match self.get(name) {
            None => Vec::new(),
            Some(Value::Array(list)) => self.list(name, list, false),
            Some(_) => {
                self.problem(name, "must be a list of words");
                Vec::new()
            }
        }
    }

    fn list(&self, path: &str, list: &[Value], is_folded: bool) -> Vec<String> {
        if list.is_empty() || list.len() > MAX_WORDS {
            self.problem(path, format!("must have 1 to {MAX_WORDS} entries"));
        }
        let mut words = Vec::new();
        for (at, word) in list.iter().take(MAX_WORDS).enumerate() {
            match word {
                Value::String(word) if is_title(word) => {
                    let word = word.split_whitespace().collect::<Vec<_>>().join(" ");
                    words.push(if is_folded { fold(&word) } else { word });
                }
                _ => self.problem(
                    &format!("{path}.{}", at + 1),
                    format!("must be text of 1 to {MAX_TEXT_CHARS} characters"),
                ),
            }
        }
        words
    }

    /// The tables of a list, each read by `read`.
    fn tables<T>(&mut self, name: &'static str, read: impl Fn(&mut TableReader<'_>) -> T) -> Vec<T> {
        let list = match self.get(name) {
            None => return Vec::new(),
            Some(Value::Array(list)) => list,
            Some(_) => {
                self.problem(name, format!("must be a list of tables, [[{name}]]"));
                return Vec::new();
            }
        };
        if list.len() > MAX_TABLES {
            self.problem(name, format!("are too many; the limit is {MAX_TABLES}"));
        }
        let mut all = Vec::new();
        for (at, value) in list.iter().take(MAX_TABLES).enumerate() {
            let Value::Table(table) = value else {
                self.problem(&format!("{name}.{}", at + 1), "must be a table");
                continue;
            };
            // Messages name a table by its key or id if it has one.
            let named_by: &[&str] = if name == "headings" { &["section", "panel"] } else { &["key", "id"] };
            let called = named_by.iter().find_map(|member| table.get(*member)?.as_str());
            let called = called.map_or_else(|| (at + 1).to_string(), str::to_owned);
            let mut fields = TableReader::new(table, self.path(&format!("{name}.{called}")), self.problems);
            all.push(read(&mut fields));
            fields.refuse_unknown();
        }
        all
    }
}

const NOT_A_LANGUAGE: &str = "must be a language of two lower-case letters, such as es or en";

fn is_language(code: &str) -> bool {
    code.len() == 2 && code.bytes().all(|b| b.is_ascii_lowercase())
}

fn is_title(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MAX_TEXT_CHARS
}

pub(super) fn schema(fields: &mut TableReader<'_>) -> Schema {
    let stored = StoredSchema {
        name: fields.required("name"),
        title: fields.titles("title"),
        sections: fields.tables("sections", section),
        panels: fields.tables("panels", section),
        keys: fields.tables("keys", |fields| StoredKey { panel: fields.panel(), key: key(fields) }),
        headings: fields.tables("headings", heading),
        other_labels: fields.words("other_labels"),
        other_dates: fields.words("other_dates"),
        names: fields.words("names"),
        languages: fields.languages(),
        extractor: fields.extractor(),
    };
    if !stored.panels.is_empty() {
        fields.problems.has_panels.set(true);
    }
    let languages = stored.languages.clone();
    let mut schema: Schema = stored.into();
    schema.keep_languages(&languages);
    schema
}

fn section(fields: &mut TableReader<'_>) -> Section {
    Section { id: fields.required("id"), title: fields.titles("title") }
}

fn heading(fields: &mut TableReader<'_>) -> SectionHeading {
    let panel = fields.panel();
    let section = fields.text("section");
    SectionHeading { section: panel.or(section), words: fields.words("words") }
}

fn key(fields: &mut TableReader<'_>) -> SchemaKey {
    let value_type = fields.one_of("value_type", &ValueType::ALL.map(|kind| (kind.as_str(), kind)));
    let value_type = value_type.unwrap_or(ValueType::String);
    SchemaKey {
        key: fields.required("key"),
        aliases: fields.names("aliases"),
        title: fields.titles("title"),
        hint: fields.titles("hint"),
        labels: fields.words("labels"),
        shared_labels: fields.words("shared_labels"),
        continued_by: fields.words("continued_by"),
        lead_ins: fields.words("lead_ins"),
        cues: fields.words("cues"),
        sentence_words: fields.words("sentence_words"),
        terms: fields.names("terms"),
        normaliser: fields
            .one_of("normaliser", &Normaliser::ALL)
            .unwrap_or_else(|| Normaliser::default_for(value_type)),
        at_visits: fields.flag("at_visits"),
        section: fields.text("section"),
        value_type,
        scope: fields.one_of("scope", &Scope::ALL).unwrap_or_default(),
        repeatable: fields.flag("repeatable"),
        critical: fields.flag("critical"),
        optional: fields.flag("optional"),
        hidden: fields.flag("hidden"),
        validators: validators(fields),
        columns: fields.tables("columns", column),
    }
}

fn column(fields: &mut TableReader<'_>) -> TableColumn {
    let value_type = fields.one_of("value_type", &ValueType::ALL.map(|kind| (kind.as_str(), kind)));
    let value_type = value_type.unwrap_or(ValueType::String);
    TableColumn {
        key: fields.required("key"),
        title: fields.titles("title"),
        labels: fields.words("labels"),
        terms: fields.names("terms"),
        normaliser: fields
            .one_of("normaliser", &Normaliser::ALL)
            .unwrap_or_else(|| Normaliser::default_for(value_type)),
        value_type,
    }
}

fn validators(fields: &mut TableReader<'_>) -> Validators {
    let table = match fields.get("validators") {
        None => return Validators::default(),
        Some(Value::Table(table)) => table,
        Some(_) => {
            fields.problem("validators", "must be a table, such as { max_length = 40 }");
            return Validators::default();
        }
    };
    let mut inner = TableReader::new(table, fields.path("validators"), fields.problems);
    let one_of = inner.names("one_of");
    let max_length = match inner.get("max_length") {
        None => None,
        Some(Value::Integer(length)) if (1..=10_000).contains(length) => u32::try_from(*length).ok(),
        Some(_) => {
            inner.problem("max_length", "must be a whole number from 1 to 10000");
            None
        }
    };
    let validators = Validators {
        one_of,
        min: inner.number("min").map(Bound),
        max: inner.number("max").map(Bound),
        max_length,
        pattern: inner.text("pattern"),
    };
    inner.refuse_unknown();
    validators
}
