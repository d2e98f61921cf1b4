//! The files of the repository, by the paths under which documents name them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;

/// Files that git tracks, or would track after `git add`.
pub struct Repository {
    root: PathBuf,
    files: BTreeSet<String>,
    folders: BTreeSet<String>,
}

impl Repository {
    pub fn open(root: &Path) -> Result<Self> {
        let output = Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .map_err(|error| format!("cannot run git: {error}"))?;
        if !output.status.success() {
            return Err("`git ls-files` failed; this check needs a git clone".into());
        }
        let listed = String::from_utf8_lossy(&output.stdout);
        // A file that was removed and not yet committed is still listed.
        let files = listed.lines().filter(|file| root.join(file).is_file());
        Ok(Self::of(root, files))
    }

    /// A repository with these files; for tests it needs no folder on the disk.
    pub fn of<'a>(root: &Path, files: impl IntoIterator<Item = &'a str>) -> Self {
        let files: BTreeSet<String> = files.into_iter().map(str::to_owned).collect();
        let folders =
            files.iter().flat_map(|file| file.match_indices('/').map(|(at, _)| file[..at].to_owned()));
        Self { root: root.to_owned(), folders: folders.collect(), files }
    }

    pub fn read(&self, file: &str) -> Result<String> {
        std::fs::read_to_string(self.root.join(file)).map_err(|error| format!("cannot read {file}: {error}"))
    }

    /// The files whose path passes the test, in order.
    pub fn files_where(&self, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
        self.files.iter().map(String::as_str).filter(|file| wanted(file)).collect()
    }

    /// Whether there is a file or folder with exactly this path.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty() || self.files.contains(path) || self.folders.contains(path)
    }

    /// Whether some file or folder ends with this path. `src` may be left out, and a part in `<…>`, `{…}` or with `*`
    /// stands for anything: `queries/<entity>/<verb>.sql`.
    pub fn has_ending(&self, path: &str) -> bool {
        let wanted: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let fits = |known: &String| {
            let whole: Vec<&str> = known.split('/').collect();
            let short: Vec<&str> = whole.iter().copied().filter(|part| *part != "src").collect();
            ends_with(&whole, &wanted) || ends_with(&short, &wanted)
        };
        self.files.iter().chain(&self.folders).any(fits)
    }
}

fn ends_with(known: &[&str], wanted: &[&str]) -> bool {
    known.len() >= wanted.len()
        && known
            .iter()
            .rev()
            .zip(wanted.iter().rev())
            .all(|(known, wanted)| known == wanted || wanted.contains(['<', '{', '*']))
}

/// Whether a file's name ends in a dot and this.
pub fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|its| its == extension)
}

/// Code that runs, without the code that tests it: test files are left out, and so is everything after `#[cfg(test)]`.
pub fn product_code(repository: &Repository) -> Result<Vec<(String, String)>> {
    let is_product = |file: &str| {
        let is_test = file.contains("/tests/") || file.ends_with("tests.rs") || file.contains("/testkit/");
        file.starts_with("crates/") && has_extension(file, "rs") && !is_test
    };
    let files = repository.files_where(is_product);
    let read = |file: &str| {
        let text = repository.read(file)?;
        let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned();
        Ok((file.to_owned(), product))
    };
    files.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Repository;

    #[test]
    fn a_path_is_known_by_its_end_and_without_src() {
        let files = ["crates/quire/src/cli/read.rs", "crates/sqlite/queries/runs/next.sql"];
        let repository = Repository::of(Path::new("."), files);
        for known in ["cli/read.rs", "quire/cli/", "quire/src/cli/read.rs", "queries/<entity>/<verb>.sql"] {
            assert!(repository.has_ending(known), "{known}");
        }
        for unknown in ["li/read.rs", "cli/write.rs", "domain/cli/", "queries/<entity>/x/<verb>.sql"] {
            assert!(!repository.has_ending(unknown), "{unknown}");
        }
        assert!(repository.has("crates/quire/src") && !repository.has("quire/src"));
    }
}
