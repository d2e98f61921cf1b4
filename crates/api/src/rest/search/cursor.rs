//! Cursors of results: the order, its value and the document, encoded so that clients do not build them themselves.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use quire_application::document::DocumentCursor;
use quire_application::search::SearchCursor;
use quire_domain::DocumentId;
use uuid::Uuid;

use crate::ApiError;

const BEST: u8 = 1;
const NEWEST: u8 = 2;

pub(crate) fn cursor(place: SearchCursor) -> String {
    let (order, value, id) = match place {
        SearchCursor::Best { score, id } => (BEST, score.to_be_bytes(), id),
        SearchCursor::Newest(DocumentCursor { created_at, id }) => {
            (NEWEST, created_at.as_microsecond().to_be_bytes(), id)
        }
    };
    let bytes = [&[order][..], &value, id.0.as_bytes()].concat();
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn parse_cursor(cursor: &str) -> Result<SearchCursor, ApiError> {
    let parse = || {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (order, rest) = bytes.split_first()?;
        let (value, id) = rest.split_at_checked(8)?;
        let value: [u8; 8] = value.try_into().ok()?;
        let id = DocumentId(Uuid::from_slice(id).ok()?);
        match *order {
            BEST => Some(f64::from_be_bytes(value))
                .filter(|score| score.is_finite())
                .map(|score| SearchCursor::Best { score, id }),
            NEWEST => {
                let created_at = Timestamp::from_microsecond(i64::from_be_bytes(value)).ok()?;
                Some(SearchCursor::Newest(DocumentCursor { created_at, id }))
            }
            _ => None,
        }
    };
    parse().ok_or_else(|| {
        ApiError::invalid("cursor", "must be the next_cursor of an earlier page in the same order")
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cursor_round_trips(score in 0.0..9.0f64, micros in 0..9_000_000_000_000_000i64, id in any::<u128>()) {
            let id = DocumentId(Uuid::from_u128(id));
            let created_at = Timestamp::from_microsecond(micros).unwrap();
            for place in [SearchCursor::Best { score, id }, SearchCursor::Newest(DocumentCursor { created_at, id })] {
                prop_assert_eq!(parse_cursor(&cursor(place)).unwrap(), place);
            }
        }

        #[test]
        fn an_invented_cursor_is_valid_or_refused(text in any::<String>(), bytes in any::<[u8; 25]>()) {
            for invented in [text, URL_SAFE_NO_PAD.encode(bytes)] {
                match parse_cursor(&invented) {
                    Ok(here) => prop_assert_eq!(cursor(here), invented),
                    Err(refused) => prop_assert_eq!(refused.code, crate::Code::InvalidRequest),
                }
            }
        }
    }
}
