//! Paths: every link leads somewhere, and every path in a document exists.

use super::source::{LineKind, Piece, Source};
use super::{Problem, slug};
use crate::repository::{Repository, has_extension};
use crate::words::words;

/// Folders of the repository whose paths are recognised wherever they stand, also without backticks.
const ROOTS: [&str; 3] = ["crates/", "docs/", "xtask/"];

/// A path in backticks is a path of the repository when it ends in `/` or in one of these.
const EXTENSIONS: [&str; 11] =
    [".rs", ".md", ".toml", ".sql", ".json", ".js", ".css", ".html", ".py", ".png", ".svg"];

/// These need no `/` to be recognised: no user has such files.
const CODE_EXTENSIONS: [&str; 2] = [".rs", ".sql"];

/// Paths that begin with one of these are the user's: examples of what to process, and what Quire keeps for them.
const USER_FOLDERS: [&str; 8] = [
    // The data folder and the state of `quire process`.
    "quire-data",
    ".quire",
    // Inside the data folder: one folder for each document, with its runs and recognised pages.
    "{document_id}",
    "runs",
    "recognised",
    // Examples in guides.
    "records",
    "results",
    "scans",
];

pub fn problems(
    source: &Source,
    repository: &Repository,
    read: impl Fn(&str) -> Option<Source>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    for Piece { line, text } in source.links() {
        if let Some(message) = wrong_link(source, &text, repository, &read) {
            problems.push(source.problem(line, message));
        }
    }
    for Piece { line, text } in source.code_spans() {
        if is_path(&text) && !is_of_user(&text) && !repository.has_ending(&text) {
            problems.push(source.problem(line, format!("there is no file or folder `{text}`")));
        }
    }
    // Paths from the root, also without backticks and in code blocks.
    for line in source.lines.iter().filter(|line| line.kind != LineKind::Other) {
        for path in rooted_paths(&line.text) {
            if !repository.has_ending(path) {
                problems.push(source.problem(line.number, format!("there is no file or folder {path}")));
            }
        }
    }
    problems.dedup_by(|one, other| one.line == other.line && one.message.contains(&other.message));
    problems
}

/// What is wrong with a link, if it is one within the repository.
fn wrong_link(
    source: &Source,
    target: &str,
    repository: &Repository,
    read: impl Fn(&str) -> Option<Source>,
) -> Option<String> {
    // Pages of a server begin with `/`; other checks know the codes in them.
    if target.contains("://") || target.starts_with('/') || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = if file.is_empty() { source.path.clone() } else { resolve(&source.path, file) };
    if !repository.has(&path) {
        return Some(format!("the link to {file} leads to {path}, which does not exist"));
    }
    if anchor.is_empty() || !has_extension(&path, "md") {
        return None;
    }
    let headings = if path == source.path { source.headings() } else { read(&path)?.headings() };
    let known = headings.iter().any(|(_, heading)| slug(&heading.text) == anchor);
    (!known).then(|| format!("{path} has no heading for the anchor #{anchor}"))
}

/// The path of a target that is relative to the folder of the file that names it.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

fn is_path(span: &str) -> bool {
    let is_plain = |mark: char| mark.is_alphanumeric() || "/._-<>{}*,".contains(mark);
    if span.starts_with(['/', '-', '*']) || span.starts_with("..") || !span.chars().all(is_plain) {
        return false;
    }
    let has_extension = |extensions: &[&str]| extensions.iter().any(|extension| span.ends_with(extension));
    let is_nested = span.contains('/') && (span.ends_with('/') || has_extension(&EXTENSIONS));
    is_nested || (has_extension(&CODE_EXTENSIONS) && !span.starts_with('.'))
}

fn is_of_user(path: &str) -> bool {
    let path = path.trim_start_matches("./");
    path.split('/').next().is_some_and(|first| USER_FOLDERS.contains(&first))
}

/// Words that begin with a folder of the repository, without the punctuation after them.
fn rooted_paths(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |mark: char| mark.is_alphanumeric() || "/._-<>{}*".contains(mark);
    words(text, is_part).into_iter().filter_map(move |(at, word)| {
        // A link's target is relative, and a URL is somewhere else.
        let is_elsewhere = text[..at].ends_with([':', '(', '$']);
        let is_rooted = ROOTS.iter().any(|root| word.starts_with(root) && word.len() > root.len());
        (is_rooted && !is_elsewhere).then(|| word.trim_end_matches(['.', '-', '/']))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn found(text: &str) -> Vec<String> {
        let files =
            ["README.md", "docs/guide/api.md", "crates/domain/src/run/turn.rs", "crates/a/steps/x.rs"];
        let repository = Repository::of(Path::new("."), files);
        let read = |_: &str| Some(Source::markdown("docs/guide/api.md", "# The API\n\n## Send a file\n"));
        let source = Source::markdown("docs/guide/other.md", text);
        problems(&source, &repository, read).into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        assert_eq!(
            found("One\n[two](apis.md)\n"),
            ["docs/guide/other.md:2: the link to apis.md leads to docs/guide/apis.md, which does not exist"]
        );
        assert_eq!(
            found("[a](api.md#send-files)"),
            ["docs/guide/other.md:1: docs/guide/api.md has no heading for the anchor #send-files"]
        );
    }

    #[test]
    fn a_path_that_does_not_exist_is_found() {
        assert_eq!(
            found("see `run/turns.rs`"),
            ["docs/guide/other.md:1: there is no file or folder `run/turns.rs`"]
        );
        assert_eq!(found("`domain/runs/`").len(), 1);
        assert_eq!(found("`turns.rs`").len(), 1);
        assert_eq!(found("The rest is in docs/guides.").len(), 1);
        assert_eq!(found("```sh\ncat docs/guide/apis.md\n```").len(), 1);
    }

    #[test]
    fn true_paths_and_the_paths_of_users_pass() {
        let text = "[a](api.md#send-a-file), [b](../../README.md), [c](../guide), [d](https://quire.example/x.md)\n\
                    `run/turn.rs`, `turn.rs`, `domain/run/`, `<any>/x.rs`, docs/guide/api.md, docs/guide.\n\
                    `./quire-data/quire.json`, `{document_id}/original.json`, `records/`, `/documents/`, `GET /x.md`\n";
        assert_eq!(found(text), Vec::<String>::new());
    }
}
