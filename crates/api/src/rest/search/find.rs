//! `GET /search`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use quire_application::App;
use quire_application::search::{self, Facet, SearchRequest, SearchResult, SearchResults, SearchSort};
use serde::Serialize;
use utoipa::ToSchema;

use super::SearchOrder;
use super::cursor::{cursor, parse_cursor};
use super::snippet::SnippetResponse;
use crate::ApiError;
use crate::request::Parameters;
use crate::rest::documents::list::{ListedDocumentResponse, listed_document};
use crate::rest::openapi::names;

/// The default and the largest number of results.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;

/// A page of results.
#[derive(Serialize, ToSchema)]
#[schema(as = SearchResults)]
pub struct SearchResponse {
    items: Vec<SearchResultResponse>,
    limit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The number of documents that were found; absent with a cursor. Counting stops at 10,000. The best 1,000 can be listed.
    total: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Whether there may be more documents than `total`, because counting stopped or the words are very frequent.
    total_is_lower_bound: Option<bool>,
    /// The `cursor` of the next page, if there is one.
    next_cursor: Option<String>,
    /// How the documents that can be listed are spread: the best 1,000 or, in the order of time, the next 1,000. Their counts can
    /// be smaller than `total`. `name:value` is a filter.
    facets: Vec<FacetResponse>,
    /// Whether few or no documents have all words, so that those with some of them follow.
    is_relaxed: bool,
    /// Words that no document has, with their corrections.
    corrections: Vec<CorrectionResponse>,
}

/// A document that was found.
#[derive(Serialize, ToSchema)]
#[schema(as = SearchResult)]
struct SearchResultResponse {
    document: ListedDocumentResponse,
    /// How well it fits; comparable within one search only.
    score: f64,
    /// The part of it that fits best. Null if the query has no words.
    snippet: Option<SnippetResponse>,
}

/// A way to divide the found documents.
#[derive(Serialize, ToSchema)]
#[schema(as = Facet)]
struct FacetResponse {
    /// A property, such as `status`, or the key of a field.
    name: String,
    values: Vec<FacetValueResponse>,
}

/// A value of a facet.
#[derive(Serialize, ToSchema)]
#[schema(as = FacetValue)]
struct FacetValueResponse {
    value: String,
    /// The number of documents.
    count: u32,
}

/// A word that was taken for others.
#[derive(Serialize, ToSchema)]
#[schema(as = Correction)]
struct CorrectionResponse {
    word: String,
    meant: Vec<String>,
}

/// Finds documents by their words, values and properties.
///
/// A query has words, "phrases", beginnings*, and -words that must not occur. Case and accents make no difference; other forms
/// of a word and small slips are found too. Filters are `key:value`, `key:>100`, `key:2024-01..2024-06` with the keys of
/// fields, and `status:`, `reviewed:`, `schema:`, `language:` and `uploaded:`. Without words, documents are listed newest first.
///
/// A query has at most 2,000 characters, 40 phrases, beginnings, exclusions and filters, 8 beginnings and 50 words in a phrase. A beginning of one or two
/// letters is taken for a whole word. A search that takes longer than two seconds ends with `SERVICE_UNAVAILABLE`.
#[utoipa::path(
    get,
    path = "/search",
    tag = "search",
    operation_id = "search",
    params(
        ("q" = Option<String>, Query, description = "The query.", max_length = 2000),
        ("typing" = Option<bool>, Query, description = "Whether the last word may be only a beginning, because somebody is typing."),
        ("sort" = Option<names::SearchOrder>, Query, description = "The order (default: best)."),
        ("limit" = Option<u32>, Query, description = "The number of items (default: 20).", minimum = 1, maximum = 100),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the previous page.",
            pattern = "^[A-Za-z0-9_-]{34}$"),
        ("facets" = Option<bool>, Query, description = "Whether to count facets (default: true without a cursor)."),
    ),
    responses((status = 200, description = "A page of results.", body = SearchResponse)),
)]
pub(crate) async fn find(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<SearchResponse>, ApiError> {
    let request = request(&parameters)?;
    let found = search::search(&app, &request).await?;
    Ok(Json(SearchResponse::new(&request, found)))
}

fn request(parameters: &Parameters) -> Result<SearchRequest, ApiError> {
    let after = parameters.raw("cursor").map(parse_cursor).transpose()?;
    let flag = |name| parameters.value::<bool>(name, "must be true or false");
    let sort = match parameters.one_of("sort", &SearchOrder::ALL, SearchOrder::as_str)? {
        None | Some(SearchOrder::Best) => SearchSort::Best,
        Some(SearchOrder::Newest) => SearchSort::Newest,
    };
    Ok(SearchRequest {
        text: parameters.raw("q").unwrap_or_default().to_owned(),
        is_typing: flag("typing")?.unwrap_or(false),
        sort,
        limit: parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
        facets: flag("facets")?.unwrap_or(after.is_none()),
        after,
    })
}

impl SearchResponse {
    /// What a search found, as JSON shows it.
    pub fn new(request: &SearchRequest, found: SearchResults) -> Self {
        Self {
            items: found.items.into_iter().map(result).collect(),
            limit: request.limit,
            total: found.total.map(|total| total.count),
            total_is_lower_bound: found.total.map(|total| total.is_lower_bound),
            next_cursor: found.next.map(cursor),
            facets: found.facets.into_iter().map(facet).collect(),
            is_relaxed: found.is_relaxed,
            corrections: found
                .corrections
                .into_iter()
                .map(|correction| CorrectionResponse { word: correction.word, meant: correction.meant })
                .collect(),
        }
    }
}

fn result(found: SearchResult) -> SearchResultResponse {
    SearchResultResponse {
        document: listed_document(found.document),
        score: found.score,
        snippet: found.snippet.map(SnippetResponse::from),
    }
}

fn facet(facet: Facet) -> FacetResponse {
    let values = facet.values.into_iter();
    FacetResponse {
        name: facet.name,
        values: values.map(|value| FacetValueResponse { value: value.value, count: value.count }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_cannot_be_read_is_refused_by_name() {
        for (query, parameter) in [
            ("limit=0", "limit"),
            ("limit=101", "limit"),
            ("sort=worst", "sort"),
            ("typing=maybe", "typing"),
            ("facets=1", "facets"),
            ("cursor=abc", "cursor"),
        ] {
            let refused = request(&Parameters::parse(query)).unwrap_err();
            assert!(refused.message.starts_with(&format!("{parameter}: ")), "{query}: {}", refused.message);
        }
        let usual = request(&Parameters::parse("q=luna")).unwrap();
        assert_eq!((usual.limit, usual.facets, usual.sort), (DEFAULT_LIMIT, true, SearchSort::Best));
    }
}
