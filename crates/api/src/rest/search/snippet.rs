//! The part of a document that fits a query best.

use quire_application::search::{Passage, PassageKind};
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
pub(crate) fn source(kind: PassageKind) -> &'static str {
    match kind {
        PassageKind::Name => "file_name",
        PassageKind::Values => "values",
        PassageKind::Text => "text",
    }
}

impl From<Passage> for SnippetResponse {
    fn from(passage: Passage) -> Self {
        Self {
            source: source(passage.kind),
            page: passage.page,
            parts: parts(&passage)
                .map(|(text, is_hit)| SnippetPart { text: text.to_owned(), is_hit })
                .collect(),
            boxes: passage.boxes.into_iter().map(RectResponse::from).collect(),
        }
    }
}

/// The text of a passage in parts, each with whether it was found.
pub(crate) fn parts(passage: &Passage) -> impl Iterator<Item = (&str, bool)> {
    let mut end = 0;
    let mut parts = Vec::new();
    for hit in &passage.highlights {
        parts.push((&passage.text[end..hit.start], false));
        parts.push((&passage.text[hit.clone()], true));
        end = hit.end;
    }
    parts.push((&passage.text[end..], false));
    parts.into_iter().filter(|(text, _)| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_whole_text() {
        let passage = Passage {
            kind: PassageKind::Text,
            page: Some(3),
            text: "dolor de oído leve".to_owned(),
            highlights: vec![0..5, 9..14],
            boxes: Vec::new(),
        };
        let found: Vec<_> = parts(&passage).collect();
        assert_eq!(found, [("dolor", true), (" de ", false), ("oído", true), (" leve", false)]);
    }
}
