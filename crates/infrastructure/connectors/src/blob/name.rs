//! Names of stored files. The rules are the same for every kind of storage.

use std::fmt;

use quire_ports::{PortError, PortResult};

/// The longest part of a name that every file system supports.
const PART_BYTES: usize = 255;
/// The longest name that every object store supports.
const NAME_BYTES: usize = 1024;

/// A valid name of a file or folder. It cannot lead out of the root folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlobName(String);

impl BlobName {
    /// Checks a name.
    pub(crate) fn parse(name: &str) -> PortResult<Self> {
        if name.len() <= NAME_BYTES && name.split('/').all(is_part) {
            return Ok(Self(name.to_owned()));
        }
        // The message does not repeat the name, because it may contain anything.
        Err(PortError::Conflict(
            "the file name is invalid; use letters, digits, '-', '_' and '.', with slashes between the parts; no part may \
             be '.' or '..'"
                .to_owned(),
        ))
    }

    /// The folders from the root on, and the last part.
    pub(crate) fn split(&self) -> (impl Iterator<Item = &str>, &str) {
        let (folders, last) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        (folders.split('/').filter(|part| !part.is_empty()), last)
    }
}

impl fmt::Display for BlobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_part(part: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !matches!(part, "" | "." | "..") && part.len() <= PART_BYTES && part.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_splits_into_folders_and_a_last_part() {
        let name = BlobName::parse("0192/runs/7/raw-text.txt").unwrap();
        let (folders, file) = name.split();
        assert_eq!((folders.collect::<Vec<_>>(), file), (vec!["0192", "runs", "7"], "raw-text.txt"));
        let name = BlobName::parse("alone").unwrap();
        let (mut folders, file) = name.split();
        assert_eq!((folders.next(), file), (None, "alone"));
    }

    #[test]
    fn the_error_does_not_repeat_the_name() {
        let error = BlobName::parse("../../etc/passwd").unwrap_err().to_string();
        assert!(!error.contains("passwd"), "{error}");
    }

    proptest! {
        /// Proves R076: a valid name stays below the root, with exactly the parts it shows.
        #[test]
        fn a_name_never_leads_out_of_the_root(text in "([a-zA-Z0-9._~/\\\\\u{0}é-]|\\.\\.|/){0,40}") {
            if let Ok(name) = BlobName::parse(&text) {
                let components: Vec<_> = Path::new(&text).components().collect();
                prop_assert!(components.iter().all(|part| matches!(part, Component::Normal(_))));
                prop_assert_eq!(components.len(), text.matches('/').count() + 1);
                let (folders, last) = name.split();
                let rejoined: Vec<_> = folders.chain([last]).collect();
                prop_assert_eq!(rejoined.join("/"), text);
            }
        }

        #[test]
        fn a_name_made_of_valid_parts_is_valid(parts in prop::collection::vec("[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,30}", 1..20)) {
            prop_assert!(BlobName::parse(&parts.join("/")).is_ok());
        }
    }
}
