//! What tests prove: the ids in their doc comments.

use std::collections::BTreeMap;

use crate::Result;
use crate::repository::{Repository, has_extension};
use crate::words::names;

/// A test, and one requirement that it proves.
#[derive(Debug, PartialEq)]
pub struct Proof {
    pub id: String,
    /// The package of the test.
    pub package: String,
    /// The name of its function.
    pub test: String,
    pub file: String,
    pub line: usize,
}

/// Finds them in all crates.
pub fn find(repository: &Repository) -> Result<Vec<Proof>> {
    let mut packages = BTreeMap::new();
    for manifest in repository.files_where(|file| file.starts_with("crates/") && file.ends_with("Cargo.toml"))
    {
        let text = repository.read(manifest)?;
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        let folder = manifest.trim_end_matches("Cargo.toml").to_owned();
        packages.insert(folder, name.unwrap_or(manifest).to_owned());
    }
    let mut proofs = Vec::new();
    for file in repository.files_where(|file| file.starts_with("crates/") && has_extension(file, "rs")) {
        let package = packages.iter().rev().find(|(folder, _)| file.starts_with(folder.as_str()));
        let package = package.map_or("", |(_, name)| name);
        proofs.extend(in_file(file, package, &repository.read(file)?));
    }
    Ok(proofs)
}

/// A doc comment with `Proves` belongs to the next name below it: a function, or an entry in the list of a macro that
/// makes tests.
fn in_file(file: &str, package: &str, text: &str) -> Vec<Proof> {
    let mut proofs = Vec::new();
    let mut waiting: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("///") {
            if comment.contains("Proves R") {
                waiting.extend(ids(comment).into_iter().map(|id| (index + 1, id)));
            }
        } else if !waiting.is_empty()
            && let Some(test) = name_of_test(line)
        {
            let proof = |(line, id)| Proof {
                id,
                package: package.to_owned(),
                test: test.to_owned(),
                file: file.to_owned(),
                line,
            };
            proofs.extend(waiting.drain(..).map(proof));
        }
    }
    proofs
}

fn name_of_test(line: &str) -> Option<&str> {
    if line.starts_with('#') || line.starts_with("//") {
        return None;
    }
    let declared = line.split_once("fn ").map_or(line, |(_, rest)| rest);
    names(declared).first().copied().filter(|name| name.contains('_'))
}

/// The ids in a text; `R058 to R060` are three.
pub fn ids(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut is_range = false;
    for word in names(text) {
        match (number_of(word), is_range, ids.last().and_then(|last| number_of(last))) {
            (Some(end), true, Some(start)) => {
                ids.extend((start + 1..=end).map(|number| format!("R{number:03}")));
            }
            (Some(_), ..) => ids.push(word.to_owned()),
            _ => {}
        }
        is_range = word == "to";
    }
    ids
}

fn number_of(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('R')?;
    (digits.len() == 3 && digits.chars().all(|mark| mark.is_ascii_digit())).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{ids, in_file};

    #[test]
    fn ids_are_read_one_by_one_and_as_ranges() {
        assert_eq!(ids("Proves R002, R007: once. See RFC 1234."), ["R002", "R007"]);
        assert_eq!(ids("Proves R058 to R060 and R068's half"), ["R058", "R059", "R060", "R068"]);
    }

    #[test]
    fn a_proof_belongs_to_the_test_below_its_comment() {
        let code = "/// Proves R001.\n#[tokio::test(flavor = \"multi_thread\")]\nasync fn one_run_starts() {\n\
                    on_both_stores! {\n    /// Proves R002, R003: so.\n    /// And more.\n    two_runs_wait with [a],\n\
                    /// Proves that it works.\nfn not_named() {}\n";
        let found: Vec<_> = in_file("a.rs", "quire", code)
            .into_iter()
            .map(|proof| (proof.line, proof.id, proof.test))
            .collect();
        let expected =
            [(1, "R001", "one_run_starts"), (5, "R002", "two_runs_wait"), (5, "R003", "two_runs_wait")];
        assert_eq!(found, expected.map(|(line, id, test)| (line, id.to_owned(), test.to_owned())));
    }
}
