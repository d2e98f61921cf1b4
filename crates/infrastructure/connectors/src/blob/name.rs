//! What a file may be called, the same wherever it is kept.

use std::fmt;

use quire_ports::{PortError, PortResult};

/// Longest part that every file system takes.
const PART_BYTES: usize = 255;
/// Longest name that every object store takes.
const NAME_BYTES: usize = 1024;

/// The name of a file or a folder, checked. It goes down from the root and never up or elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    /// The name, if it is one.
    pub(crate) fn parse(name: &str) -> PortResult<Self> {
        if name.len() <= NAME_BYTES && name.split('/').all(is_part) {
            return Ok(Self(name.to_owned()));
        }
        // What was asked for is not repeated: it may be anything.
        Err(PortError::Conflict(
            "that is not a name for a file: letters, digits, '-', '_' and '.', in parts apart by slashes, and no \
             part is '.' or '..'"
                .to_owned(),
        ))
    }

    /// Where it is, part by part from the root, and the last part.
    pub(crate) fn split(&self) -> (impl Iterator<Item = &str>, &str) {
        let (folders, last) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        (folders.split('/').filter(|part| !part.is_empty()), last)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_part(part: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !matches!(part, "" | "." | "..") && part.len() <= PART_BYTES && part.bytes().all(is_known)
}

#[cfg(test)]
mod tests {
    use std::path::{Component, Path};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_comes_apart_into_folders_and_a_last_part() {
        let name = Name::parse("0192/runs/7/raw-text.txt").unwrap();
        let (folders, file) = name.split();
        assert_eq!((folders.collect::<Vec<_>>(), file), (vec!["0192", "runs", "7"], "raw-text.txt"));
        let name = Name::parse("alone").unwrap();
        let (mut folders, file) = name.split();
        assert_eq!((folders.next(), file), (None, "alone"));
    }

    #[test]
    fn what_was_refused_is_not_repeated() {
        let refused = Name::parse("../../etc/passwd").unwrap_err().to_string();
        assert!(!refused.contains("passwd"), "{refused}");
    }

    proptest! {
        /// Proves R076: whatever is taken for a name leads down, by as many parts as it shows.
        #[test]
        fn a_name_never_leads_anywhere_but_down(text in "([a-zA-Z0-9._~/\\\\\u{0}é-]|\\.\\.|/){0,40}") {
            if let Ok(name) = Name::parse(&text) {
                let components: Vec<_> = Path::new(&text).components().collect();
                prop_assert!(components.iter().all(|part| matches!(part, Component::Normal(_))));
                prop_assert_eq!(components.len(), text.matches('/').count() + 1);
                let (folders, last) = name.split();
                let rejoined: Vec<_> = folders.chain([last]).collect();
                prop_assert_eq!(rejoined.join("/"), text);
            }
        }

        #[test]
        fn what_is_made_of_good_parts_is_a_name(parts in prop::collection::vec("[a-zA-Z0-9_-][a-zA-Z0-9._-]{0,30}", 1..20)) {
            prop_assert!(Name::parse(&parts.join("/")).is_ok());
        }
    }
}
