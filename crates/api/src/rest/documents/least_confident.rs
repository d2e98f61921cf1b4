//! `GET /documents?sort=least_certain`

use axum::Json;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quire_application::App;
use quire_application::document::{self, ConfidenceCursor, LeastConfidentQuery};
use quire_domain::DocumentId;
use uuid::Uuid;

use super::list::{DocumentListResponse, bounds, listed_document, no_cursor};
use crate::ApiError;
use crate::request::Parameters;

/// The documents that wait for a review, the least confident first.
pub(super) async fn list(app: &App, parameters: &Parameters) -> Result<Json<DocumentListResponse>, ApiError> {
    let query = query(parameters)?;
    let found = document::least_confident(app, query).await?;
    Ok(Json(DocumentListResponse {
        items: found.items.into_iter().map(listed_document).collect(),
        limit: query.limit,
        offset: query.skip,
        total: found.total.map(|total| total.count),
        total_is_lower_bound: found.total.map(|total| total.is_lower_bound),
        next_cursor: found.next.map(cursor),
        search_was_cut_short: false,
    }))
}

fn query(parameters: &Parameters) -> Result<LeastConfidentQuery, ApiError> {
    for filter in ["status", "review_status", "q", "hidden"] {
        if parameters.non_empty(filter).is_some() {
            let message = "cannot be combined with sort=least_certain, which lists the documents that wait for a review";
            return Err(ApiError::invalid(filter, message));
        }
    }
    let (limit, skip) = bounds(parameters)?;
    let after = parameters.raw("cursor").map(parse_cursor).transpose()?;
    Ok(LeastConfidentQuery { after, skip, limit })
}

/// The negated confidence and the id. No creation time is negative, so that cursors of the two orders differ.
pub(crate) fn cursor(place: ConfidenceCursor) -> String {
    let mut bytes = (-place.confidence).to_be_bytes().to_vec();
    bytes.extend(place.id.0.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn parse_cursor(cursor: &str) -> Result<ConfidenceCursor, ApiError> {
    let parse = || {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (number, id) = bytes.split_at_checked(8)?;
        let confidence = -f64::from_be_bytes(number.try_into().ok()?);
        let is_one = confidence.is_sign_positive() && (0.0..=1.0).contains(&confidence);
        is_one.then_some(ConfidenceCursor { confidence, id: DocumentId(Uuid::from_slice(id).ok()?) })
    };
    parse().ok_or_else(no_cursor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn filters_are_refused() {
        for filter in ["status=COMPLETED", "review_status=IN_REVIEW", "q=x", "hidden=only"] {
            let refused = query(&Parameters::parse(filter)).unwrap_err();
            assert!(filter.starts_with(refused.message.split(':').next().unwrap()), "{}", refused.message);
        }
        let usual = query(&Parameters::parse("limit=7&q=")).unwrap();
        assert_eq!((usual.limit, usual.skip, usual.after), (7, 0, None));
        let by_time = URL_SAFE_NO_PAD.encode([[0, 6, 0, 0, 0, 0, 0, 0].as_slice(), &[7; 16]].concat());
        assert!(parse_cursor(&by_time).is_err(), "a cursor of the other order");
    }

    proptest! {
        #[test]
        fn a_cursor_round_trips(confidence in 0.0..=1.0f64, id in any::<u128>()) {
            let here = ConfidenceCursor { confidence, id: DocumentId(Uuid::from_u128(id)) };
            prop_assert_eq!(parse_cursor(&cursor(here)).unwrap(), here);
        }

        #[test]
        fn an_invented_cursor_is_valid_or_refused(text in any::<String>(), bytes in any::<[u8; 24]>()) {
            for invented in [text, URL_SAFE_NO_PAD.encode(bytes)] {
                match parse_cursor(&invented) {
                    Ok(here) => prop_assert_eq!(cursor(here), invented),
                    Err(refused) => prop_assert_eq!(refused.code, crate::Code::InvalidRequest),
                }
            }
        }
    }
}
