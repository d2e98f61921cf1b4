//! Where objects are: a container and a prefix.

use crate::blob::name::BlobName;

/// A container or bucket, and the beginning of the keys in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectLocation {
    /// The name of the container or bucket.
    pub container: String,
    /// The beginning of every key, without a slash at its end. May be empty.
    pub prefix: String,
}

impl ObjectLocation {
    /// Parses the text after `az://` or `s3://`.
    ///
    /// ```
    /// use quire_connectors::blob::object::ObjectLocation;
    /// let location = ObjectLocation::parse("records/quire/one").unwrap();
    /// assert_eq!((location.container.as_str(), location.prefix.as_str()), ("records", "quire/one"));
    /// assert!(ObjectLocation::parse("user:secret@records").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (container, prefix) = text.split_once('/').unwrap_or((text, ""));
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        let is_container = (3..=63).contains(&container.len())
            && container
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
        let is_prefix = prefix.is_empty() || (prefix.len() <= MAX_PREFIX && BlobName::parse(prefix).is_ok());
        (is_container && is_prefix)
            .then(|| Self { container: container.to_owned(), prefix: prefix.to_owned() })
    }
}

/// Leaves room for the names of files: a key has at most 1024 bytes.
const MAX_PREFIX: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_container_and_a_plain_prefix() {
        for (text, expected) in [
            ("records", Some(("records", ""))),
            ("records/", Some(("records", ""))),
            ("records/a/b/", Some(("records", "a/b"))),
            ("my.bucket_1", Some(("my.bucket_1", ""))),
            ("", None),
            ("ab", None),
            ("/a", None),
            ("records//a", None),
            ("records/../a", None),
            ("records/a b", None),
            ("records?sig=x", None),
            ("user:secret@records", None),
        ] {
            let parsed = ObjectLocation::parse(text);
            let parts = parsed.as_ref().map(|one| (one.container.as_str(), one.prefix.as_str()));
            assert_eq!(parts, expected, "{text}");
        }
    }
}
