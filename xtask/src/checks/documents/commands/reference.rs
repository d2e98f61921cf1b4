//! The commands of the program, from the page that a test of the program compares with the program itself.

use std::collections::BTreeMap;

use super::{flag_name, is_placeholder};
use crate::checks::documents::source::Source;

/// Options that every command has and no page lists.
const EVERYWHERE: [&str; 4] = ["--help", "-h", "--version", "-V"];

/// Commands by their words, each with its options and whether they take a value.
pub struct Reference(BTreeMap<Vec<String>, BTreeMap<String, bool>>);

impl Reference {
    /// From docs/reference/commands.md: a heading for each command, a row of a table for each option.
    pub fn read(page: &str) -> Self {
        let mut commands: BTreeMap<Vec<String>, BTreeMap<String, bool>> = BTreeMap::new();
        let mut command = Vec::new();
        for line in &Source::markdown("", page).lines {
            if let Some(name) = line.text.strip_prefix("## quire") {
                command = name.split_whitespace().map(str::to_owned).collect();
                commands.entry(command.clone()).or_default();
            } else if let Some(row) = line.text.strip_prefix("| `-") {
                let cell = row.split('|').next().unwrap_or_default();
                let names =
                    cell.split(['`', ' ', ',']).filter(|word| !word.is_empty() && !word.starts_with('<'));
                let takes_value = cell.contains('<');
                let options = commands.entry(command.clone()).or_default();
                for (index, name) in names.enumerate() {
                    // The first one lost its dash to the prefix.
                    let name = if index == 0 { format!("-{name}") } else { name.to_owned() };
                    options.insert(name, takes_value);
                }
            }
        }
        Self(commands)
    }

    pub fn has_flag(&self, name: &str) -> bool {
        EVERYWHERE.contains(&name) || self.0.values().any(|options| options.contains_key(name))
    }

    /// What is wrong with the words after `quire`.
    pub fn wrong(&self, words: &[&str]) -> Option<String> {
        let mut command: Vec<String> = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.starts_with('-') && word.len() > 1 {
                let name = flag_name(word);
                match self.option(&command, name) {
                    Some(true) if !word.contains('=') => {
                        words.next();
                    }
                    Some(_) => {}
                    None => return Some(format!("`{}` has no option {name}", spoken(&command))),
                }
            } else if self.has_subcommands(&command) && !is_placeholder(word) {
                for name in word.split('|').filter(|name| *name != "help") {
                    let mut longer = command.clone();
                    longer.push(name.trim_end_matches([',', '.', ':']).to_owned());
                    if !self.0.contains_key(&longer) {
                        return Some(format!("there is no command `{}`", spoken(&longer)));
                    }
                }
                let last = word.rsplit('|').next().unwrap_or(word);
                command.push(last.trim_end_matches([',', '.', ':']).to_owned());
            }
        }
        None
    }

    /// Whether an option of the command takes a value; nothing if the command has no such option.
    fn option(&self, command: &[String], name: &str) -> Option<bool> {
        let own = self.0.get(command).and_then(|options| options.get(name));
        // The options of `quire` itself are every command's.
        let common = || self.0.get(&[] as &[String]).and_then(|options| options.get(name));
        own.or_else(common).copied().or_else(|| EVERYWHERE.contains(&name).then_some(false))
    }

    fn has_subcommands(&self, command: &[String]) -> bool {
        self.0.keys().any(|known| known.len() > command.len() && known.starts_with(command))
    }
}

fn spoken(command: &[String]) -> String {
    let mut words = vec!["quire"];
    words.extend(command.iter().map(String::as_str));
    words.join(" ")
}
