//! Finds the documents that have their right values beside them.

use std::path::{Path, PathBuf};

use quire_understanding::evaluation::Truth;

use crate::cli::process::InputFiles;

/// The end of the name of a truth file.
const TRUTH: &str = ".truth.json";

/// A document and its right values.
#[derive(Debug)]
pub(super) struct EvaluatedDocument {
    pub(super) path: PathBuf,
    /// The name under which its result is written.
    pub(super) name: String,
    pub(super) truth: Truth,
}

/// Every document of a folder with a truth file: `a.truth.json` or `a.pdf.truth.json` for `a.pdf`.
pub(super) fn find(folder: &Path, out: &Path) -> Result<Vec<EvaluatedDocument>, String> {
    if !folder.is_dir() {
        return Err(format!("{} is not a folder", folder.display()));
    }
    let inputs = InputFiles::find(&[folder.to_path_buf()], &[Some(out)])?;
    let mut documents = Vec::new();
    for file in inputs.files.into_iter().filter(|file| !file.name.ends_with(TRUTH)) {
        let Some(path) = truth_path(&file.path) else { continue };
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let truth = Truth::parse(&text).map_err(|why| format!("{}: {why}", path.display()))?;
        documents.push(EvaluatedDocument { path: file.path, name: file.name, truth });
    }
    if documents.is_empty() {
        let folder = folder.display();
        return Err(format!(
            "{folder} has no document with its right values beside it; write them into NAME{TRUTH}, such as invoice{TRUTH} for \
             invoice.pdf"
        ));
    }
    Ok(documents)
}

fn truth_path(document: &Path) -> Option<PathBuf> {
    let name = document.file_name()?.to_str()?;
    let stem = document.file_stem()?.to_str()?;
    [stem, name]
        .iter()
        .map(|name| document.with_file_name(format!("{name}{TRUTH}")))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_without_a_truth_file_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        for name in ["a.pdf", "b.txt", "c.pdf"] {
            write(name, "x");
        }
        write("a.truth.json", r#"{"k": 1}"#);
        write("b.txt.truth.json", r#"{"k": 2}"#);
        let out = folder.path().join("out");
        let found = find(folder.path(), &out).unwrap();
        let names: Vec<_> = found.iter().filter_map(|document| document.path.file_name()?.to_str()).collect();
        assert_eq!(names, ["a.pdf", "b.txt"]);
        write("c.truth.json", "no JSON");
        assert!(find(folder.path(), &out).unwrap_err().contains("c.truth.json"));
        let empty = tempfile::tempdir().unwrap();
        assert!(find(empty.path(), &out).unwrap_err().contains("NAME.truth.json"));
    }
}
