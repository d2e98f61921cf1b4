//! The documents that a query found, as the page shows them.

use quire_application::search::{
    MAX_RANKED, SearchCursor, SearchRequest, SearchResult, SearchResults, SnippetKind,
};

use super::facets::{FacetTitles, FacetView};
use crate::pages::address::address;
use crate::pages::inbox::row::status;
use crate::pages::moments::Moment;
use crate::pages::words::Words;
use crate::rest::search::cursor::cursor;
use crate::rest::search::snippet::parts;

/// A page of results.
pub(super) struct Results {
    pub(super) rows: Vec<ResultRow>,
    /// The number of documents in words.
    pub(super) total: Option<String>,
    pub(super) facets: Vec<FacetView>,
    /// Words that were taken for others, in a sentence each.
    pub(super) corrections: Vec<String>,
    pub(super) is_relaxed: bool,
    /// That not all found documents can be listed, in words.
    pub(super) cut_short: Option<String>,
    /// The address of the next page.
    pub(super) next: Option<String>,
}

/// A document that was found.
pub(super) struct ResultRow {
    pub(super) id: String,
    pub(super) name: String,
    /// Opens the document with what was found boxed on its pages.
    pub(super) href: String,
    pub(super) status: &'static str,
    pub(super) tone: &'static str,
    /// Where the snippet stands, in words.
    pub(super) place: Option<String>,
    /// The snippet in parts, each with whether it was found.
    pub(super) parts: Vec<(String, bool)>,
    pub(super) language: Option<String>,
    pub(super) added: Moment,
}

impl Results {
    pub(super) fn of(
        found: SearchResults,
        request: &SearchRequest,
        words: &'static Words,
        titles: &FacetTitles,
    ) -> Self {
        let query = request.text.as_str();
        let total = found.total.map(|total| {
            let name = if total.is_lower_bound { "search.more_than" } else { "search.total" };
            words.count(name, total.count.into())
        });
        let correction = |word: &str, meant: &[String]| {
            words.with("search.correction", word).replacen("{}", &meant.join(", "), 1)
        };
        Self {
            total,
            facets: found.facets.iter().map(|facet| FacetView::of(facet, query, words, titles)).collect(),
            corrections: found.corrections.iter().map(|one| correction(&one.word, &one.meant)).collect(),
            is_relaxed: found.is_relaxed,
            cut_short: found.is_cut_short.then(|| words.with("search.cut_short", &MAX_RANKED.to_string())),
            next: found.next.map(|next| next_page(request, next)),
            rows: found.items.into_iter().map(|item| ResultRow::of(&item, query, words)).collect(),
        }
    }
}

/// The address of the next page. The cursor belongs to the same kind of query: a word that was being typed stays a beginning.
fn next_page(request: &SearchRequest, next: SearchCursor) -> String {
    let typing = if request.is_typing { "true" } else { "" };
    address("/app/search", &[("q", &request.text), ("typing", typing), ("cursor", &cursor(next))])
}

impl ResultRow {
    fn of(found: &SearchResult, query: &str, words: &'static Words) -> Self {
        let document = &found.document.overview.document;
        let snippet = found.snippet.as_ref();
        let page = snippet.and_then(|snippet| snippet.page).map(|page| page.to_string());
        let place = snippet.and_then(|snippet| match snippet.kind {
            SnippetKind::Name => None,
            SnippetKind::Values => Some(words.get("search.in_values").to_owned()),
            SnippetKind::Text => page.as_ref().map(|page| words.with("search.on_page", page)),
        });
        let parts = snippet
            .filter(|snippet| snippet.kind != SnippetKind::Name)
            .map(|snippet| parts(snippet).map(|(text, is_hit)| (text.to_owned(), is_hit)).collect());
        let (status, tone) = status(&found.document, words);
        let path = format!("/app/documents/{}", document.id);
        Self {
            href: address(&path, &[("q", query), ("page", page.as_deref().unwrap_or_default())]),
            id: document.id.to_string(),
            name: document.original_filename.clone(),
            status,
            tone,
            place,
            parts: parts.unwrap_or_default(),
            language: found.document.language_used.clone(),
            added: Moment::of(document.created_at),
        }
    }
}

#[cfg(test)]
mod tests {
    use quire_application::search::SearchSort;
    use quire_domain::DocumentId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_next_page_asks_for_the_same_kind_of_query() {
        let request = |is_typing| SearchRequest {
            text: "otitis lun".to_owned(),
            is_typing,
            sort: SearchSort::Best,
            limit: 20,
            after: None,
            facets: true,
        };
        let next = SearchCursor::Best { score: 0.5, id: DocumentId(Uuid::nil()) };
        let typed = next_page(&request(true), next);
        assert!(typed.starts_with("/app/search?q=otitis+lun&typing=true&cursor="), "{typed}");
        let submitted = next_page(&request(false), next);
        assert!(submitted.starts_with("/app/search?q=otitis+lun&cursor="), "{submitted}");
    }
}
