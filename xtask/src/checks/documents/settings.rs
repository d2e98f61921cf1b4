//! Settings: every `section.key` and every environment variable in a document exists.

use std::collections::BTreeSet;

use super::Problem;
use super::source::{LineKind, Piece, Source};
use crate::words::{names, quoted_names, words};

/// Variables of tests, benchmarks and renewals are not settings; they stand in the code.
const OTHER_VARIABLES: [&str; 3] = ["QUIRE_TEST_", "QUIRE_BENCH_", "QUIRE_RENEW_"];

/// What follows a section's name in the name of a file: `server.log` is no setting.
const FILE_ENDINGS: [&str; 8] = ["rs", "md", "log", "sql", "toml", "json", "css", "js"];

/// The settings there are.
pub struct Settings {
    sections: BTreeSet<String>,
    /// `section.key`.
    keys: BTreeSet<String>,
    variables: BTreeSet<String>,
    /// Names in quotes in the code, among them the members of schema files, which are written like settings.
    quoted: BTreeSet<String>,
}

impl Settings {
    /// From the default settings, the file that lists other names for them, and the code that reads other variables.
    pub fn read(defaults: &str, aliases: &str, code: &[String]) -> Self {
        let (mut sections, mut keys) = (BTreeSet::new(), BTreeSet::new());
        let mut section = String::new();
        for line in defaults.lines() {
            if let Some(name) = section_of(line) {
                name.clone_into(&mut section);
                sections.extend(name.match_indices('.').map(|(at, _)| name[..at].to_owned()));
                sections.insert(section.clone());
            } else if let Some(key) = key_of(line) {
                keys.insert(format!("{section}.{key}"));
            }
        }
        let own = keys.iter().map(|key| format!("QUIRE_{}", key.replace('.', "_").to_uppercase()));
        let aliases = quoted_names(aliases).filter(|name| is_variable(name)).map(str::to_owned);
        let is_other = |name: &&str| OTHER_VARIABLES.iter().any(|prefix| name.starts_with(prefix));
        let others = code.iter().flat_map(|text| quoted_names(text)).filter(is_other).map(str::to_owned);
        let variables = own.chain(aliases).chain(others).collect();
        let quoted = code.iter().flat_map(|text| quoted_names(text)).map(str::to_owned).collect();
        Self { sections, keys, variables, quoted }
    }

    /// Whether this is the name of an environment variable that Quire reads.
    pub fn has_variable(&self, name: &str) -> bool {
        self.variables.contains(name)
    }

    pub fn problems(&self, source: &Source) -> Vec<Problem> {
        let mut problems = Vec::new();
        for line in source.lines.iter().filter(|line| line.kind != LineKind::Other) {
            let dotted = dotted_names(&line.text).into_iter().filter(|name| self.is_wrong(name));
            problems.extend(
                dotted.map(|name| source.problem(line.number, format!("there is no setting {name}"))),
            );
            let variables =
                names(&line.text).into_iter().filter(|name| is_variable(name) && !self.has_variable(name));
            problems.extend(
                variables.map(|name| source.problem(line.number, format!("there is no variable {name}"))),
            );
        }
        for Piece { line, text } in source.code_spans() {
            if let Some(section) = section_of(&text).filter(|section| !self.sections.contains(*section)) {
                problems.push(source.problem(line, format!("there is no section [{section}] of settings")));
            }
            if let Some(key) = key_with_value(&text).filter(|key| !key.contains('.') && !self.has_key(key)) {
                problems.push(source.problem(line, format!("there is no setting {key}")));
            }
        }
        problems.extend(self.wrong_lines_of_blocks(source));
        problems
    }

    /// Blocks of TOML that begin with a section are settings; others are files of schemas.
    fn wrong_lines_of_blocks(&self, source: &Source) -> Vec<Problem> {
        let mut problems = Vec::new();
        for block in source.blocks().iter().filter(|block| block.language == "toml") {
            let mut lines = block.lines.iter().filter(|line| !line.text.trim_start().starts_with('#'));
            if lines.next().is_none_or(|line| section_of(&line.text).is_none()) {
                continue;
            }
            let mut section = "";
            for line in block.lines {
                if let Some(name) = section_of(&line.text) {
                    section = name;
                    if !self.sections.contains(name) {
                        problems.push(
                            source.problem(line.number, format!("there is no section [{name}] of settings")),
                        );
                    }
                } else if let Some(key) = key_of(&line.text)
                    && !self.keys.contains(&format!("{section}.{key}"))
                {
                    problems
                        .push(source.problem(line.number, format!("there is no setting {section}.{key}")));
                }
            }
        }
        problems
    }

    /// Whether a name begins with a section, looks like a setting and is none.
    fn is_wrong(&self, name: &str) -> bool {
        let Some((section, rest)) = name.split_once('.') else { return false };
        let is_file = rest.rsplit('.').next().is_some_and(|ending| FILE_ENDINGS.contains(&ending));
        self.sections.contains(section)
            && !is_file
            && !self.keys.contains(name)
            && !self.sections.contains(name)
    }

    /// Whether some section, or a schema file, has this key.
    fn has_key(&self, key: &str) -> bool {
        self.quoted.contains(key) || self.keys.iter().any(|known| known.rsplit('.').next() == Some(key))
    }
}

/// The name in `[name]`.
fn section_of(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('[')?.split(']').next()?;
    let is_part = |mark: char| mark.is_ascii_lowercase() || mark.is_ascii_digit() || "._".contains(mark);
    let is_name = name.starts_with(|first: char| first.is_ascii_lowercase()) && name.chars().all(is_part);
    (line.contains(']') && is_name).then_some(name)
}

/// The key in `key = value`.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once(" = ")?;
    let key = key.trim();
    let is_part = |mark: char| mark.is_ascii_lowercase() || mark.is_ascii_digit() || "._".contains(mark);
    (!key.is_empty() && key.chars().all(is_part)).then_some(key)
}

/// The key in `key = value`, if the value is one of TOML: a formula is no setting.
fn key_with_value(span: &str) -> Option<&str> {
    let (_, value) = span.split_once(" = ")?;
    let is_value = matches!(value, "true" | "false")
        || value.starts_with(|mark: char| mark == '"' || mark.is_ascii_digit());
    key_of(span).filter(|_| is_value)
}

fn is_variable(name: &str) -> bool {
    let is_prefixed = name.starts_with("QUIRE_") || name.starts_with("VET_RECORDS_");
    (is_prefixed || name == "AUTH_TOKEN" || name == "LOG_LEVEL") && !name.ends_with('_')
}

/// Names with dots between them, such as `engine.slots`, that are no part of an address or a path.
fn dotted_names(text: &str) -> Vec<&str> {
    let is_part = |mark: char| mark.is_alphanumeric() || "._-/:@".contains(mark);
    let is_name = |word: &&str| {
        let parts = || word.split('.');
        let is_lower = |part: &str| {
            !part.is_empty() && part.chars().all(|mark| mark.is_ascii_lowercase() || mark == '_')
        };
        parts().count() > 1 && parts().all(is_lower)
    };
    let trimmed = words(text, is_part).into_iter().map(|(_, word)| word.trim_end_matches(['.', ':', '-']));
    trimmed.filter(is_name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: &str = "[engine]\n# How many.\nslots = 0\n[reading.ocr]\nenabled = true\n";

    fn found(text: &str) -> Vec<String> {
        let code = ["std::env::var(\"QUIRE_TEST_AXE\"); member(\"max_length\")".to_owned()];
        let settings =
            Settings::read(DEFAULTS, "Alias { name: \"AUTH_TOKEN\", key: \"server.auth_token\" }", &code);
        let problems = settings.problems(&Source::markdown("a.md", text));
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_setting_that_does_not_exist_is_found() {
        assert_eq!(found("Raise `engine.slot`."), ["a.md:1: there is no setting engine.slot"]);
        assert_eq!(
            found("```json\n\"raise reading.ocr.time\"\n```"),
            ["a.md:2: there is no setting reading.ocr.time"]
        );
        assert_eq!(found("`[reader]`"), ["a.md:1: there is no section [reader] of settings"]);
        assert_eq!(found("`enable = false`"), ["a.md:1: there is no setting enable"]);
        assert_eq!(found("```toml\n[engine]\nslot = 1\n```"), ["a.md:3: there is no setting engine.slot"]);
    }

    #[test]
    fn a_variable_that_does_not_exist_is_found() {
        assert_eq!(found("`QUIRE_ENGINE_SLOT`"), ["a.md:1: there is no variable QUIRE_ENGINE_SLOT"]);
        assert_eq!(
            found("```sh\nexport VET_RECORDS_X=1\n```"),
            ["a.md:2: there is no variable VET_RECORDS_X"]
        );
        assert_eq!(found("QUIRE_TEST_AX").len(), 1);
    }

    #[test]
    fn true_settings_and_other_names_pass() {
        let text = "`engine.slots`, `[reading.ocr]`, `reading.ocr`, `enabled = false`, QUIRE_ENGINE_SLOTS, `QUIRE_…`\n\
                    `AUTH_TOKEN`, `QUIRE_TEST_AXE`, `max_length = 3`, `a = b + 1`, `engine.rs`, http://engine.example/x, `details.reason`, engine.\n\
                    ```toml\nname = \"a\"\n[[keys]]\nkey = \"b\"\n```\n";
        assert_eq!(found(text), Vec::<String>::new());
    }
}
