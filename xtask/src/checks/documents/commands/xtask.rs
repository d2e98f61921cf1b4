//! The commands of xtask, from the list that xtask itself goes by.

use super::{flag_name, is_placeholder};
use crate::{COMMANDS, Command, checks, commands};

/// What is wrong with the words after `cargo xtask`.
pub fn wrong(words: &[&str]) -> Option<String> {
    let (name, rest) = words.split_first()?;
    if name.starts_with('-') || is_placeholder(name) {
        return None;
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == *name) else {
        return Some(format!("there is no command `cargo xtask {name}`"));
    };
    let first = rest.first().filter(|word| !is_placeholder(word) && !word.starts_with('-'));
    match (command.name, first) {
        ("bench", Some(name)) if !commands::BENCHMARKS.contains(name) => {
            Some(format!("there is no benchmark `{name}`"))
        }
        ("check", Some(name)) if !checks::names().any(|known| known == *name) => {
            Some(format!("there is no check `{name}`"))
        }
        _ => wrong_option(command, rest),
    }
}

pub fn has_flag(name: &str) -> bool {
    COMMANDS.iter().any(|command| has_option(command, name))
}

/// A command that passes its arguments on may have any option.
fn wrong_option(command: &Command, words: &[&str]) -> Option<String> {
    let own = words.iter().take_while(|word| **word != "--").filter(|word| word.starts_with("--"));
    let passes_on = command.arguments.contains("ARGS") && !command.arguments.contains("-- ARGS");
    let unknown = own.map(|flag| flag_name(flag)).find(|flag| !passes_on && !has_option(command, flag))?;
    Some(format!("`cargo xtask {}` has no option {unknown}", command.name))
}

fn has_option(command: &Command, name: &str) -> bool {
    let options = command.arguments.split(['[', ']', ' ']);
    name == "--help" || options.into_iter().any(|option| option == name)
}
