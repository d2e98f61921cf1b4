//! Writes a schema as a TOML file.

use std::fmt::Write as _;

use super::{Normaliser, Schema, SchemaKey, Scope, Titles, Validators, WordList};

/// The longest line, in characters.
const MAX_LINE_CHARS: usize = 118;

impl Schema {
    /// The schema as a TOML file of that version. It can be changed and added under another name.
    pub fn to_toml(&self, version: u32) -> String {
        let mut text = format!("name = {}\nversion = {version}\n", quoted(&self.name));
        titles(&mut text, "title", &self.title);
        if !self.languages.is_empty() {
            list(&mut text, "languages", &self.languages);
        }
        if let Some(extractor) = self.extractor {
            line(&mut text, &format!("extractor = {}", quoted(extractor.as_str())));
        }
        words(&mut text, "names", &self.names);
        words(&mut text, "other_labels", &self.other_labels);
        words(&mut text, "other_dates", &self.other_dates);
        for section in &self.sections {
            line(&mut text, &format!("\n[[sections]]\nid = {}", quoted(&section.id)));
            titles(&mut text, "title", &section.title);
        }
        for heading in &self.headings {
            line(&mut text, "\n[[headings]]");
            if let Some(section) = &heading.section {
                line(&mut text, &format!("section = {}", quoted(section)));
            }
            words(&mut text, "words", &heading.words);
        }
        for key in &self.keys {
            write_key(&mut text, key);
        }
        text
    }
}

fn write_key(text: &mut String, key: &SchemaKey) {
    line(text, &format!("\n[[keys]]\nkey = {}", quoted(&key.key)));
    if !key.aliases.is_empty() {
        list(text, "aliases", &key.aliases);
    }
    titles(text, "title", &key.title);
    titles(text, "hint", &key.hint);
    if let Some(section) = &key.section {
        line(text, &format!("section = {}", quoted(section)));
    }
    line(text, &format!("value_type = {}", quoted(key.value_type.as_str())));
    if key.normaliser != Normaliser::default_for(key.value_type) {
        line(text, &format!("normaliser = {}", quoted(key.normaliser.as_str())));
    }
    if let Some((scope, _)) =
        Scope::ALL.iter().find(|(_, scope)| *scope == key.scope && *scope != Scope::Document)
    {
        line(text, &format!("scope = {}", quoted(scope)));
    }
    let flags = [
        ("at_visits", key.at_visits),
        ("repeatable", key.repeatable),
        ("critical", key.critical),
        ("optional", key.optional),
        ("hidden", key.hidden),
    ];
    for (name, _) in flags.iter().filter(|(_, flag)| *flag) {
        line(text, &format!("{name} = true"));
    }
    let lists = [
        ("labels", &key.labels),
        ("shared_labels", &key.shared_labels),
        ("continued_by", &key.continued_by),
        ("lead_ins", &key.lead_ins),
        ("cues", &key.cues),
        ("sentence_words", &key.sentence_words),
    ];
    for (name, list) in lists {
        words(text, name, list);
    }
    if !key.terms.is_empty() {
        list(text, "terms", &key.terms);
    }
    validators(text, &key.validators);
    for column in &key.columns {
        line(text, &format!("\n[[keys.columns]]\nkey = {}", quoted(&column.key)));
        titles(text, "title", &column.title);
        line(text, &format!("value_type = {}", quoted(column.value_type.as_str())));
        if column.normaliser != Normaliser::default_for(column.value_type) {
            line(text, &format!("normaliser = {}", quoted(column.normaliser.as_str())));
        }
        words(text, "labels", &column.labels);
        if !column.terms.is_empty() {
            list(text, "terms", &column.terms);
        }
    }
}

fn validators(text: &mut String, validators: &Validators) {
    if !validators.one_of.is_empty() {
        list(text, "validators.one_of", &validators.one_of);
    }
    for (name, bound) in [("min", validators.min), ("max", validators.max)] {
        if let Some(bound) = bound {
            // `{:?}` keeps the decimal point, so that the number stays a float.
            line(text, &format!("validators.{name} = {:?}", bound.0));
        }
    }
    if let Some(most) = validators.max_length {
        line(text, &format!("validators.max_length = {most}"));
    }
    if let Some(pattern) = &validators.pattern {
        line(text, &format!("validators.pattern = {}", quoted(pattern)));
    }
}

fn titles(text: &mut String, name: &str, titles: &Titles) {
    if !titles.is_empty() {
        let each: Vec<String> =
            titles.iter().map(|(language, title)| format!("{language} = {}", quoted(title))).collect();
        line(text, &format!("{name} = {{ {} }}", each.join(", ")));
    }
}

fn words(text: &mut String, name: &str, words: &WordList) {
    let is_plain = words.languages().all(|(language, _)| language == super::ANY_LANGUAGE);
    for (language, some) in words.languages().filter(|(_, some)| !some.is_empty()) {
        let name = if is_plain { name.to_owned() } else { format!("{name}.{language}") };
        list(text, &name, some);
    }
}

fn list(text: &mut String, name: &str, words: &[String]) {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    let short = format!("{name} = [{}]", quoted.join(", "));
    if short.chars().count() <= MAX_LINE_CHARS {
        return line(text, &short);
    }
    line(text, &format!("{name} = ["));
    let mut row = String::new();
    for word in quoted {
        if row.chars().count() + word.chars().count() > MAX_LINE_CHARS - 6 {
            line(text, &format!("   {row}"));
            row.clear();
        }
        // Writing to a String cannot fail.
        let _ = write!(row, " {word},");
    }
    line(text, &format!("   {row}\n]"));
}

fn line(text: &mut String, written: &str) {
    text.push_str(written);
    text.push('\n');
}

/// The text as a TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted + "\""
}
