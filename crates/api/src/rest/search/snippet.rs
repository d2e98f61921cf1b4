//! The part of a document that fits a query best.

use quire_application::search::{FoundSnippet, SnippetKind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::rest::documents::page_content::RectResponse;
use crate::rest::openapi::names;

/// The part of a document that fits a query best.
#[derive(Serialize, ToSchema)]
#[schema(as = Snippet)]
pub(crate) struct SnippetResponse {
    /// Where it comes from.
    #[schema(value_type = names::SnippetSource)]
    source: &'static str,
    /// The page, from 1; null for the name of the file and for values.
    page: Option<u32>,
    /// The text in parts, in order. Joined they are the whole text.
    parts: Vec<SnippetPart>,
    /// Where on the page the found words stand. One box around the text if it was found by its meaning.
    boxes: Vec<RectResponse>,
}

/// A part of a snippet.
#[derive(Serialize, ToSchema)]
struct SnippetPart {
    text: String,
    /// Whether the query found it.
    is_hit: bool,
}

/// The names of sources.
pub(crate) fn source(kind: SnippetKind) -> &'static str {
    match kind {
        SnippetKind::Name => "file_name",
        SnippetKind::Values => "values",
        SnippetKind::Text => "text",
    }
}

impl From<FoundSnippet> for SnippetResponse {
    fn from(snippet: FoundSnippet) -> Self {
        Self {
            source: source(snippet.kind),
            page: snippet.page,
            parts: parts(&snippet)
                .map(|(text, is_hit)| SnippetPart { text: text.to_owned(), is_hit })
                .collect(),
            boxes: snippet.boxes.into_iter().map(RectResponse::from).collect(),
        }
    }
}

/// The text of a snippet in parts, each with whether it was found.
pub(crate) fn parts(snippet: &FoundSnippet) -> impl Iterator<Item = (&str, bool)> {
    let mut end = 0;
    let mut parts = Vec::new();
    for hit in &snippet.highlights {
        parts.push((&snippet.text[end..hit.start], false));
        parts.push((&snippet.text[hit.clone()], true));
        end = hit.end;
    }
    parts.push((&snippet.text[end..], false));
    parts.into_iter().filter(|(text, _)| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_whole_text() {
        let snippet = FoundSnippet {
            kind: SnippetKind::Text,
            page: Some(3),
            text: "dolor de oído leve".to_owned(),
            highlights: vec![0..5, 9..14],
            boxes: Vec::new(),
        };
        let found: Vec<_> = parts(&snippet).collect();
        assert_eq!(found, [("dolor", true), (" de ", false), ("oído", true), (" leve", false)]);
    }
}
