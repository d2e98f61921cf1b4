//! Conditional and partial requests: `If-None-Match`, `Range` and `If-Range`.

use std::ops::Range;

use axum::http::{HeaderMap, header};

/// The `If-None-Match` header: the `ETag`s of what the client has.
pub(super) struct IfNoneMatch {
    pub(super) tags: Vec<String>,
    any: bool,
}

impl IfNoneMatch {
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let given = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let given: Vec<&str> = given.flat_map(|value| value.split(',')).map(str::trim).collect();
        let bare = |tag: &&str| tag.trim_start_matches("W/").trim_matches('"').to_owned();
        Self { any: given.contains(&"*"), tags: given.iter().map(bare).collect() }
    }

    pub(super) fn includes(&self, tag: &str) -> bool {
        self.any || self.tags.iter().any(|known| known == tag)
    }
}

/// The part of a file that a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestedPart {
    /// All of it. Also for a header that cannot be read, and for several parts at once, as HTTP allows.
    Whole,
    /// These bytes.
    Part(Range<u64>),
    /// Bytes that the file does not have.
    Outside,
}

impl RequestedPart {
    /// The part of a file with this `ETag` and this size. A part of another file than the client expects is useless.
    pub(super) fn from_headers(headers: &HeaderMap, tag: &str, size: u64) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let is_expected = text(header::IF_RANGE).is_none_or(|expected| expected.trim_matches('"') == tag);
        let range =
            text(header::RANGE).filter(|_| is_expected).and_then(|range| range.strip_prefix("bytes="));
        let Some((first, last)) = range.and_then(|range| range.trim().split_once('-')) else {
            return Self::Whole;
        };
        let (first, last) = (number(first), number(last));
        let part = match (first, last) {
            (Some(Some(first)), Some(Some(last))) if first <= last => first..last.saturating_add(1).min(size),
            (Some(Some(first)), Some(None)) => first..size,
            (Some(None), Some(Some(length))) => size.saturating_sub(length)..size,
            _ => return Self::Whole,
        };
        if part.start < part.end { Self::Part(part) } else { Self::Outside }
    }
}

/// A number, or nothing where there is none. None if it is neither.
#[allow(clippy::option_option)] // Read at once, and in one place.
fn number(text: &str) -> Option<Option<u64>> {
    if text.is_empty() {
        return Some(None);
    }
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn strong_and_weak_tags_of_a_list_are_found() {
        let mut headers = HeaderMap::new();
        headers.append(header::IF_NONE_MATCH, HeaderValue::from_static("\"a-1\", W/\"b-2\""));
        headers.append(header::IF_NONE_MATCH, HeaderValue::from_static("\"c-3\""));
        let known = IfNoneMatch::from_headers(&headers);
        assert!(known.includes("a-1") && known.includes("b-2") && known.includes("c-3"));
        assert!(!known.includes("d-4") && !IfNoneMatch::from_headers(&HeaderMap::new()).includes("a-1"));
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("*"));
        assert!(IfNoneMatch::from_headers(&headers).includes("anything"));
    }

    #[test]
    fn a_range_is_a_part_of_the_file_or_ignored() {
        let part = |range: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
            RequestedPart::from_headers(&headers, "tag", 100)
        };
        for (range, expected) in [
            ("bytes=0-9", 0..10),
            ("bytes=90-", 90..100),
            ("bytes=-10", 90..100),
            ("bytes=50-5000", 50..100),
            ("bytes=-5000", 0..100),
            ("bytes=99-18446744073709551615", 99..100),
        ] {
            assert_eq!(part(range), RequestedPart::Part(expected), "{range}");
        }
        for range in ["bytes=100-", "bytes=100-200", "bytes=-0"] {
            assert_eq!(part(range), RequestedPart::Outside, "{range}");
        }
        for range in
            ["", "bytes=", "bytes=-", "bytes=9-0", "bytes=0-1,5-6", "bytes=a-b", "bytes=+1-2", "pages=1-2"]
        {
            assert_eq!(part(range), RequestedPart::Whole, "{range}");
        }
    }

    #[test]
    fn a_part_of_another_file_is_not_sent() {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, HeaderValue::from_static("bytes=0-9"));
        headers.insert(header::IF_RANGE, HeaderValue::from_static("\"other\""));
        assert_eq!(RequestedPart::from_headers(&headers, "tag", 100), RequestedPart::Whole);
        headers.insert(header::IF_RANGE, HeaderValue::from_static("\"tag\""));
        assert_eq!(RequestedPart::from_headers(&headers, "tag", 100), RequestedPart::Part(0..10));
    }
}
