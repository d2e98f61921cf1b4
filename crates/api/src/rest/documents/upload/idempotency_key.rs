//! The `Idempotency-Key` header: identifies a retry.

use axum::http::HeaderMap;

use crate::ApiError;

const HEADER: &str = "Idempotency-Key";
/// Characters of the longest key.
const MAX_LENGTH: usize = 255;

/// The key of a request, if it has one.
pub(super) fn from_headers(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut given = headers.get_all(HEADER).iter();
    let Some(key) = given.next() else { return Ok(None) };
    let is_sound = (1..=MAX_LENGTH).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic);
    match key.to_str() {
        Ok(key) if is_sound && given.next().is_none() => Ok(Some(key.to_owned())),
        _ => {
            let must = format!("must be given once, with 1 to {MAX_LENGTH} visible ASCII characters");
            Err(ApiError::invalid(HEADER, &must))
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_key_is_accepted_unchanged_or_refused() {
        let keys = |values: &[&[u8]]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(HEADER, HeaderValue::from_bytes(value).unwrap());
            }
            from_headers(&headers)
        };
        assert_eq!(keys(&[]), Ok(None));
        assert_eq!(keys(&[b"Order-7/\"a\""]), Ok(Some("Order-7/\"a\"".to_owned())));
        assert_eq!(keys(&[&[b'k'; 255]]).unwrap().unwrap().len(), 255);
        for wrong in [&[&b""[..]][..], &[&[b'k'; 256]], &[b"a b"], &[b"\xc3\xa9"], &[b"a", b"a"]] {
            let refused = keys(wrong).unwrap_err();
            assert_eq!(refused.code, crate::Code::InvalidRequest, "{wrong:?}");
        }
    }
}
