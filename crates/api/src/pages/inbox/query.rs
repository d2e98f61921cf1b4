//! The query of the inbox.

use quire_application::document::{ConfidenceCursor, ListRequest};
use quire_domain::{DocumentId, DocumentStatus, ReviewStatus};

use crate::ApiError;
use crate::pages::words::Words;
use crate::request::{Parameters, uuid};
use crate::rest::documents::{least_confident, list};

/// Ids in one request.
const MOST: usize = 50;
/// The filters by parameter name.
const FILTERS: [&str; 4] = ["q", "status", "review_status", HIDDEN];
/// The filter that lists the hidden documents.
const HIDDEN: &str = "hidden";
/// The value of `sort` for the review queue.
const LEAST_CONFIDENT: &str = "least_certain";

pub(super) struct InboxQuery {
    pub(super) request: ListRequest,
    /// Whether the review queue is requested: documents that wait for a review, least confident first. It excludes filters.
    pub(super) is_queue: bool,
    /// Where the page begins.
    pub(super) after_confidence: Option<ConfidenceCursor>,
    /// Only these documents.
    pub(super) ids: Vec<DocumentId>,
    /// The value of each given filter.
    given: Vec<(&'static str, String)>,
}

/// A choice of a filter.
pub(super) struct Choice {
    pub(super) value: &'static str,
    pub(super) text: &'static str,
    pub(super) is_current: bool,
}

impl InboxQuery {
    /// A form also sends its empty fields, which are ignored.
    pub(super) fn of(query: &str) -> Result<Self, ApiError> {
        let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.trim().is_empty());
        let parameters =
            Parameters::parse(&form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish());
        let ids = parameters.non_empty("ids").map(ids).transpose()?.unwrap_or_default();
        if parameters.non_empty("sort") == Some(LEAST_CONFIDENT) {
            let after_confidence =
                parameters.non_empty("cursor").map(least_confident::parse_cursor).transpose()?;
            let given = vec![("sort", LEAST_CONFIDENT.to_owned())];
            let request = ListRequest::default();
            return Ok(Self { request, is_queue: true, after_confidence, ids, given });
        }
        let after = parameters.non_empty("cursor").map(list::parse_cursor).transpose()?;
        let given = FILTERS.iter().filter_map(|name| Some((*name, parameters.non_empty(name)?.to_owned())));
        let given = given.collect();
        let hidden = list::hidden(&parameters)?;
        let request = ListRequest { after, hidden, ..list::filters(&parameters)? };
        Ok(Self { request, is_queue: false, after_confidence: None, ids, given })
    }

    /// The search text.
    pub(super) fn words(&self) -> &str {
        self.given("q")
    }

    pub(super) fn is_filtered(&self) -> bool {
        !self.given.is_empty()
    }

    /// Whether the total is cheap to count.
    pub(super) fn is_counted(&self) -> bool {
        let ListRequest { status, review, words, hidden, .. } = &self.request;
        let filters = [status.is_some(), review.is_some(), *hidden].into_iter();
        let is_one = filters.filter(|is_set| *is_set).count() <= 1;
        words.is_none() && is_one && *status != Some(DocumentStatus::Uploaded)
    }

    /// The address of the inbox with the same filters and these parameters.
    pub(super) fn address(&self, and: &[(&str, &str)]) -> String {
        at("/app", &self.given, and)
    }

    /// Whether the hidden documents are listed.
    pub(super) fn is_hidden(&self) -> bool {
        self.request.hidden
    }

    /// The address of the export with the same filters. The queue and the hidden documents have none.
    pub(super) fn export(&self, format: &str) -> String {
        at("/documents/export", &self.given, &[("format", format)])
    }

    fn given(&self, name: &str) -> &str {
        self.given.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }

    pub(super) fn statuses(&self, words: &'static Words) -> Vec<Choice> {
        let all = [
            ("", "inbox.any_status"),
            (DocumentStatus::Processing.as_str(), "inbox.filter_processing"),
            (DocumentStatus::Completed.as_str(), "inbox.filter_completed"),
            (DocumentStatus::Failed.as_str(), "inbox.filter_failed"),
            (DocumentStatus::TimedOut.as_str(), "inbox.filter_timed_out"),
            (DocumentStatus::Uploaded.as_str(), "inbox.filter_uploaded"),
        ];
        self.choices("status", &all, words)
    }

    pub(super) fn reviews(&self, words: &'static Words) -> Vec<Choice> {
        let all = [
            ("", "inbox.any_review"),
            (ReviewStatus::InReview.as_str(), "inbox.filter_in_review"),
            (ReviewStatus::Reviewed.as_str(), "inbox.filter_reviewed"),
        ];
        self.choices("review_status", &all, words)
    }

    pub(super) fn orders(&self, words: &'static Words) -> Vec<Choice> {
        let all = [("", "inbox.newest_first"), (LEAST_CONFIDENT, "inbox.lowest_confidence_first")];
        self.choices("sort", &all, words)
    }

    fn choices(
        &self,
        name: &str,
        all: &[(&'static str, &'static str)],
        words: &'static Words,
    ) -> Vec<Choice> {
        let given = self.given(name);
        let choice = |(value, text): &(&'static str, &'static str)| Choice {
            value,
            text: words.get(text),
            is_current: *value == given,
        };
        all.iter().map(choice).collect()
    }
}

fn at(path: &str, given: &[(&str, String)], and: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(given).extend_pairs(and);
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

fn ids(text: &str) -> Result<Vec<DocumentId>, ApiError> {
    let ids: Vec<_> = text.split(',').map(|id| uuid("ids", id).map(DocumentId)).collect::<Result<_, _>>()?;
    if ids.len() > MOST {
        return Err(ApiError::invalid("ids", &format!("must be at most {MOST}")));
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_fields_are_ignored() {
        let asked = InboxQuery::of("q=+&status=&review_status=&cursor=").unwrap();
        assert!(!asked.is_filtered() && asked.is_counted() && asked.ids.is_empty());
        assert_eq!(asked.address(&[]), "/app");
        assert_eq!(asked.export("csv"), "/documents/export?format=csv");
    }

    #[test]
    fn filters_stay_in_the_addresses() {
        let asked = InboxQuery::of("status=FAILED&q=a%26b&colour=red").unwrap();
        assert!(asked.is_filtered() && !asked.is_counted());
        assert_eq!(asked.words(), "a&b");
        assert_eq!(asked.address(&[("cursor", "x")]), "/app?q=a%26b&status=FAILED&cursor=x");
        assert!(InboxQuery::of("status=FAILED").unwrap().is_counted());
        let hidden = InboxQuery::of("hidden=only").unwrap();
        assert!(hidden.is_hidden() && hidden.is_filtered() && hidden.is_counted());
        assert!(!InboxQuery::of("hidden=only&status=FAILED").unwrap().is_counted());
        assert!(!InboxQuery::of("status=FAILED&review_status=REVIEWED").unwrap().is_counted());
        let current = asked.statuses(crate::pages::words::Language::English.words());
        let current: Vec<_> = current.iter().filter(|choice| choice.is_current).collect();
        assert_eq!((current.len(), current[0].value), (1, "FAILED"));
    }

    #[test]
    fn the_queue_excludes_filters() {
        let asked = InboxQuery::of("sort=least_certain&q=luna&status=FAILED").unwrap();
        assert!(asked.is_queue && asked.request.words.is_none() && asked.request.status.is_none());
        assert_eq!(asked.address(&[]), "/app?sort=least_certain");
        assert!(!InboxQuery::of("sort=&q=luna").unwrap().is_queue);
    }

    #[test]
    fn invalid_parameters_are_refused() {
        let many = vec![DocumentId::new().to_string(); MOST + 1].join(",");
        for query in ["status=DONE", "cursor=x", "ids=1", &format!("ids={many}")] {
            assert!(InboxQuery::of(query).is_err(), "{query}");
        }
        let some = InboxQuery::of(&format!("ids={},{}", DocumentId::new(), DocumentId::new())).unwrap();
        assert_eq!(some.ids.len(), 2);
    }
}
