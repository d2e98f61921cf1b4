//! Trees of folders in code blocks: every entry exists, and stands once.

use super::Problem;
use super::source::{Block, Line, Source};
use crate::repository::Repository;

/// What an entry that is a file ends in.
const FILES: [&str; 6] = [".rs", ".md", ".toml", ".sql", ".js", ".css"];

/// An entry on the way from the root of the tree to the line that is read.
struct Parent {
    indent: usize,
    /// The column of its description, if it has one.
    description: Option<usize>,
    path: String,
}

pub fn problems(source: &Source, repository: &Repository) -> Vec<Problem> {
    source
        .blocks()
        .iter()
        .filter(|block| is_tree(block))
        .flat_map(|block| of_tree(source, block, repository))
        .collect()
}

/// Most lines of a tree do not begin with a folder, since descriptions go on over several lines.
fn is_tree(block: &Block<'_>) -> bool {
    let folders =
        block.lines.iter().filter(|line| entries(&line.text).iter().any(|(_, name)| name.ends_with('/')));
    matches!(block.language, "" | "text") && folders.count() >= 3
}

fn of_tree(source: &Source, block: &Block<'_>, repository: &Repository) -> Vec<Problem> {
    let mut parents: Vec<Parent> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    let mut problems = Vec::new();
    for line in block.lines.iter().filter(|line| !line.text.trim().is_empty()) {
        let indent = line.text.len() - line.text.trim_start().len();
        let goes_on = parents.iter().any(|parent| parent.description.is_some_and(|column| column <= indent));
        if goes_on {
            problems.extend(unknown_names(source, line, &line.text, repository));
            continue;
        }
        parents.retain(|parent| parent.indent < indent);
        let folder = parents.last().map_or_else(String::new, |parent| parent.path.clone());
        let mut description = line.text.trim_start();
        for (at, name) in entries(&line.text) {
            let path = format!("{folder}{name}");
            if !repository.has_ending(&path) {
                problems.push(source.problem(line.number, format!("there is no file or folder {path}")));
            }
            if seen.contains(&path) {
                problems.push(source.problem(line.number, format!("{path} stands twice in this tree")));
            }
            description = &line.text[at + name.len()..];
            let text = description.trim_start();
            let column = (!text.is_empty()).then(|| line.text.len() - text.len());
            if name.ends_with('/') {
                parents.retain(|parent| parent.indent < indent);
                parents.push(Parent { indent, description: column, path: path.clone() });
            } else {
                parents.push(Parent { indent, description: column, path: folder.clone() });
            }
            seen.push(path);
        }
        problems.extend(unknown_names(source, line, description, repository));
    }
    problems
}

/// The entries that a line begins with: folders alone, or files alone with a known ending. A file after a folder is
/// part of the folder's description.
fn entries(line: &str) -> Vec<(usize, &str)> {
    let mut entries: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for word in line.split(' ') {
        let is_of_a_kind = |(_, first): &(usize, &str)| first.ends_with('/') == word.ends_with('/');
        if is_entry(word) && entries.first().is_none_or(is_of_a_kind) {
            entries.push((at, word));
        } else if !word.is_empty() {
            break;
        }
        at += word.len() + 1;
    }
    entries
}

fn is_entry(word: &str) -> bool {
    let is_plain = |mark: char| mark.is_alphanumeric() || "/._-<>{}*".contains(mark);
    let is_named = word.len() > 1 && word.chars().all(is_plain) && !word.starts_with('/');
    is_named && (word.ends_with('/') || FILES.iter().any(|ending| word.ends_with(ending)))
}

/// Files and folders that a description names must exist somewhere.
fn unknown_names(source: &Source, line: &Line, text: &str, repository: &Repository) -> Vec<Problem> {
    let words = text.split([' ', ',', '(', ')', ';']).map(|word| word.trim_end_matches([':', '.']));
    words
        .filter(|word| is_entry(word) && !repository.has_ending(word))
        .map(|word| source.problem(line.number, format!("there is no file or folder {word}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn found(tree: &str) -> Vec<String> {
        let files = [
            "crates/domain/src/run/state.rs",
            "crates/domain/src/event.rs",
            "crates/api/src/ocr/a.rs",
            "docs/a.md",
        ];
        let repository = Repository::of(Path::new("."), files);
        let source = Source::markdown("A.md", &format!("```\n{tree}```\n"));
        problems(&source, &repository).into_iter().map(|problem| problem.to_string()).collect()
    }

    const TREE: &str = "crates/\n  domain/     rules\n    run/       state.rs (the states), and more that goes\n\
                        \x20              on here: ocr/ (a folder)\n    event.rs   what happened\n  api/       HTTP\n\
                        docs/        guides\n";

    #[test]
    fn a_true_tree_passes() {
        assert_eq!(found(TREE), Vec::<String>::new());
    }

    #[test]
    fn an_entry_that_does_not_exist_is_found() {
        assert_eq!(
            found(&TREE.replace("api/ ", "apis/")),
            ["A.md:7: there is no file or folder crates/apis/"]
        );
        assert_eq!(
            found(&TREE.replace("state.rs", "states.rs")),
            ["A.md:4: there is no file or folder states.rs"]
        );
        assert_eq!(found(&TREE.replace("ocr/", "ocrs/")), ["A.md:5: there is no file or folder ocrs/"]);
        assert_eq!(
            found(&TREE.replace("    event.rs", "  event.rs")),
            ["A.md:6: there is no file or folder crates/event.rs"]
        );
    }

    #[test]
    fn an_entry_that_stands_twice_is_found() {
        let twice = TREE.replace("  api/ ", "    run/\n  api/ ");
        assert_eq!(found(&twice), ["A.md:7: crates/domain/run/ stands twice in this tree"]);
    }
}
