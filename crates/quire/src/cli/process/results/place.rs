//! Which place is meant, and how results are written there.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where the state is kept, beside the results.
const STATE: &str = ".quire";

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli::process) enum Format {
    /// A file for each document, in a folder
    Json,
    /// A line for each document
    Jsonl,
    /// A line for each value
    Csv,
}

/// Where results go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::process) enum Target {
    /// Into files in this folder.
    Folder(PathBuf),
    /// Into this file.
    File(PathBuf, Format),
    /// To standard output.
    Stdout(Format),
}

impl Target {
    /// What was asked for, or why it cannot be.
    pub(in crate::cli::process) fn of(out: Option<PathBuf>, format: Option<Format>) -> Result<Self, String> {
        let Some(out) = out else {
            return match format {
                Some(Format::Json) => {
                    Err("--format json writes a file for each document: name a folder for them with --out"
                        .to_owned())
                }
                format => Ok(Self::Stdout(format.unwrap_or(Format::Jsonl))),
            };
        };
        let format = format.unwrap_or_else(|| match out.extension().and_then(|end| end.to_str()) {
            Some("jsonl" | "ndjson") => Format::Jsonl,
            Some("csv") => Format::Csv,
            _ => Format::Json,
        });
        match format {
            Format::Json if out.exists() && !out.is_dir() => Err(format!(
                "--out {}: is no folder; results in one file are --format jsonl or csv",
                out.display()
            )),
            Format::Json => Ok(Self::Folder(out)),
            _ if out.is_dir() => Err(format!("--out {}: is a folder; name a file in it", out.display())),
            format => Ok(Self::File(out, format)),
        }
    }

    /// The folder or file, if it is one.
    pub(in crate::cli::process) fn path(&self) -> Option<&Path> {
        match self {
            Self::Folder(path) | Self::File(path, _) => Some(path),
            Self::Stdout(_) => None,
        }
    }

    /// Where the state is unless somebody says otherwise.
    pub(in crate::cli::process) fn usual_state(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(STATE),
            Self::File(path, _) if is_stream(path) => PathBuf::from(STATE),
            Self::File(path, _) => path.with_file_name(STATE),
            Self::Stdout(_) => PathBuf::from(STATE),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            Some(path) => path.display().fmt(f),
            None => f.write_str("standard output"),
        }
    }
}

/// Whether this is a pipe or a device, which takes what is written and keeps nothing to look at.
pub(super) fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_follows_from_the_place_unless_it_is_said() {
        let of = |out: Option<&str>, format| Target::of(out.map(PathBuf::from), format);
        assert_eq!(of(None, None), Ok(Target::Stdout(Format::Jsonl)));
        assert_eq!(of(None, Some(Format::Csv)), Ok(Target::Stdout(Format::Csv)));
        assert_eq!(of(Some("x"), None), Ok(Target::Folder("x".into())));
        assert_eq!(of(Some("x.csv"), None), Ok(Target::File("x.csv".into(), Format::Csv)));
        assert_eq!(of(Some("x"), Some(Format::Jsonl)), Ok(Target::File("x".into(), Format::Jsonl)));
        assert!(of(None, Some(Format::Json)).is_err());
        assert_eq!(of(Some("y/x.jsonl"), None).unwrap().usual_state(), PathBuf::from("y/.quire"));
        assert_eq!(of(Some("y"), None).unwrap().usual_state(), PathBuf::from("y/.quire"));
        assert_eq!(of(Some("/dev/null"), Some(Format::Csv)).unwrap().usual_state(), PathBuf::from(".quire"));
    }
}
