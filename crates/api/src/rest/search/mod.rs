//! `GET /search`, `POST /ask`, the hits within one document, and documents that are like it.

pub(crate) mod ask;
pub(crate) mod cursor;
pub(crate) mod find;
pub(crate) mod hits;
pub(crate) mod similar;
pub(crate) mod snippet;

use quire_application::search::SearchError;

use crate::ApiError;

/// The order of results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchOrder {
    Best,
    Newest,
}

impl SearchOrder {
    pub(crate) const ALL: [Self; 2] = [Self::Best, Self::Newest];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Newest => "newest",
        }
    }
}

impl From<SearchError> for ApiError {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Query(problem) => Self::invalid("q", &problem.to_string()),
            SearchError::Cursor => Self::invalid("cursor", &error.to_string()),
            SearchError::Other(error) => error.into(),
        }
    }
}
