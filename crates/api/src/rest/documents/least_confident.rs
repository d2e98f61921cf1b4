//! `GET /documents?sort=least_certain`

use axum::Json;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use quire_application::App;
use quire_application::document::{self, ConfidenceCursor, LeastConfidentQuery};
use quire_domain::DocumentId;
use uuid::Uuid;

use super::list::{List, bounds, item, no_cursor};
use crate::ApiError;
use crate::request::Parameters;

/// The documents that wait for a person, the least certain first.
pub(super) async fn list(app: &App, parameters: &Parameters) -> Result<Json<List>, ApiError> {
    let part = part(parameters)?;
    let found = document::least_confident(app, part).await?;
    Ok(Json(List {
        items: found.items.into_iter().map(item).collect(),
        limit: part.limit,
        offset: part.skip,
        total: found.total.map(|total| total.count),
        total_is_lower_bound: found.total.map(|total| total.is_lower_bound),
        next_cursor: found.next.map(cursor),
        search_was_cut_short: false,
    }))
}

fn part(parameters: &Parameters) -> Result<LeastConfidentQuery, ApiError> {
    for filter in ["status", "review_status", "q"] {
        if parameters.text(filter).is_some() {
            let message = "does not go with sort=least_certain, which lists those that wait for a person";
            return Err(ApiError::invalid(filter, message));
        }
    }
    let (limit, skip) = bounds(parameters)?;
    let after = parameters.given("cursor").map(place).transpose()?;
    Ok(LeastConfidentQuery { after, skip, limit })
}

/// The number below zero and the id. No time is so long ago, so that a cursor of the other order is known for what it is.
pub(crate) fn cursor(place: ConfidenceCursor) -> String {
    let mut bytes = (-place.confidence).to_be_bytes().to_vec();
    bytes.extend(place.id.0.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn place(cursor: &str) -> Result<ConfidenceCursor, ApiError> {
    let parse = || {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (number, id) = bytes.split_at_checked(8)?;
        let certainty = -f64::from_be_bytes(number.try_into().ok()?);
        let is_one = certainty.is_sign_positive() && (0.0..=1.0).contains(&certainty);
        is_one
            .then_some(ConfidenceCursor { confidence: certainty, id: DocumentId(Uuid::from_slice(id).ok()?) })
    };
    parse().ok_or_else(no_cursor)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn filters_do_not_go_with_it() {
        for filter in ["status=COMPLETED", "review_status=IN_REVIEW", "q=x"] {
            let refused = part(&Parameters::of(filter)).unwrap_err();
            assert!(filter.starts_with(refused.message.split(':').next().unwrap()), "{}", refused.message);
        }
        let usual = part(&Parameters::of("limit=7&q=")).unwrap();
        assert_eq!((usual.limit, usual.skip, usual.after), (7, 0, None));
        let by_time = URL_SAFE_NO_PAD.encode([[0, 6, 0, 0, 0, 0, 0, 0].as_slice(), &[7; 16]].concat());
        assert!(place(&by_time).is_err(), "a cursor of the other order");
    }

    proptest! {
        #[test]
        fn a_cursor_leads_back_to_its_place(confidence in 0.0..=1.0f64, id in any::<u128>()) {
            let here = ConfidenceCursor { confidence, id: DocumentId(Uuid::from_u128(id)) };
            prop_assert_eq!(place(&cursor(here)).unwrap(), here);
        }

        #[test]
        fn a_cursor_that_somebody_made_is_a_place_or_refused(text in any::<String>(), bytes in any::<[u8; 24]>()) {
            for made in [text, URL_SAFE_NO_PAD.encode(bytes)] {
                match place(&made) {
                    Ok(here) => prop_assert_eq!(cursor(here), made),
                    Err(refused) => prop_assert_eq!(refused.code, crate::Code::InvalidRequest),
                }
            }
        }
    }
}
