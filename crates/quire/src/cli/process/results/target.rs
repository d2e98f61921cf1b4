//! Parses --out and --format.

use std::fmt;
use std::path::{Path, PathBuf};

/// The default state folder, beside the results.
const STATE: &str = ".quire";

/// The format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli::process) enum OutputFormat {
    /// A file per document, in a folder
    Json,
    /// A line per document
    Jsonl,
    /// A line per value
    Csv,
}

/// Where results are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli::process) enum OutputTarget {
    /// To files in this folder.
    Folder(PathBuf),
    /// To this file.
    File(PathBuf, OutputFormat),
    /// To standard output.
    Stdout(OutputFormat),
}

impl OutputTarget {
    /// The target of these arguments, or why they are invalid.
    pub(in crate::cli::process) fn new(
        out: Option<PathBuf>,
        format: Option<OutputFormat>,
    ) -> Result<Self, String> {
        let Some(out) = out else {
            return match format {
                Some(OutputFormat::Json) => {
                    Err("--format json writes a file per document: name a folder with --out".to_owned())
                }
                format => Ok(Self::Stdout(format.unwrap_or(OutputFormat::Jsonl))),
            };
        };
        let format =
            format.unwrap_or_else(|| match out.extension().and_then(|extension| extension.to_str()) {
                Some("jsonl" | "ndjson") => OutputFormat::Jsonl,
                Some("csv") => OutputFormat::Csv,
                _ => OutputFormat::Json,
            });
        match format {
            OutputFormat::Json if out.exists() && !out.is_dir() => Err(format!(
                "--out {}: is not a folder; use --format jsonl or csv to write one file",
                out.display()
            )),
            OutputFormat::Json => Ok(Self::Folder(out)),
            _ if out.is_dir() => Err(format!("--out {}: is a folder; name a file in it", out.display())),
            format => Ok(Self::File(out, format)),
        }
    }

    /// The folder or file; `None` for standard output.
    pub(in crate::cli::process) fn path(&self) -> Option<&Path> {
        match self {
            Self::Folder(path) | Self::File(path, _) => Some(path),
            Self::Stdout(_) => None,
        }
    }

    /// The state folder, if --state is not given.
    pub(in crate::cli::process) fn default_state(&self) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(STATE),
            Self::File(path, _) if is_stream(path) => PathBuf::from(STATE),
            Self::File(path, _) => path.with_file_name(STATE),
            Self::Stdout(_) => PathBuf::from(STATE),
        }
    }
}

impl fmt::Display for OutputTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path() {
            Some(path) => path.display().fmt(f),
            None => f.write_str("standard output"),
        }
    }
}

/// Whether this is a pipe or a device, whose content cannot be read back.
pub(super) fn is_stream(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_follows_from_the_path_unless_it_is_given() {
        let target = |out: Option<&str>, format| OutputTarget::new(out.map(PathBuf::from), format);
        assert_eq!(target(None, None), Ok(OutputTarget::Stdout(OutputFormat::Jsonl)));
        assert_eq!(target(None, Some(OutputFormat::Csv)), Ok(OutputTarget::Stdout(OutputFormat::Csv)));
        assert_eq!(target(Some("x"), None), Ok(OutputTarget::Folder("x".into())));
        assert_eq!(target(Some("x.csv"), None), Ok(OutputTarget::File("x.csv".into(), OutputFormat::Csv)));
        assert_eq!(
            target(Some("x"), Some(OutputFormat::Jsonl)),
            Ok(OutputTarget::File("x".into(), OutputFormat::Jsonl))
        );
        assert!(target(None, Some(OutputFormat::Json)).is_err());
        assert_eq!(target(Some("y/x.jsonl"), None).unwrap().default_state(), PathBuf::from("y/.quire"));
        assert_eq!(target(Some("y"), None).unwrap().default_state(), PathBuf::from("y/.quire"));
        assert_eq!(
            target(Some("/dev/null"), Some(OutputFormat::Csv)).unwrap().default_state(),
            PathBuf::from(".quire")
        );
    }
}
