//! Rates the first documents by the texts of their most promising chunks, as on every store.

use quire_ports::{FindQuery, FoundDocument, PortResult, importance_of_chunk};
use quire_understanding::search::{FittingChunk, rarity, rate};
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::error::translate;

/// What the words of a document count that is not rated. It has fewer of them than those that are.
const UNRATED: f64 = 0.2;

/// Orders documents, which are given with their rows, by how well they fit. There are about so many chunks.
pub(super) fn order_by_texts(
    query: &FindQuery,
    all: f64,
    rows: &[PgRow],
    documents: &mut [FoundDocument],
) -> PortResult<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let frequencies: Vec<f64> = first.try_get("frequencies").map_err(translate)?;
    let weights: Vec<f64> = frequencies.into_iter().map(|chunks| rarity(chunks, all.max(chunks))).collect();
    let rated = rate(&query.text.terms, &weights, &chunks(rows)?);
    for (document, number) in documents.iter_mut().zip(0..) {
        match rated.get(&number) {
            Some(fit) => (document.score, document.chunk) = (fit.score, Some(fit.position)),
            None => document.score *= UNRATED,
        }
    }
    documents.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.id.cmp(&one.id)));
    Ok(())
}

/// The chunks whose texts were read. The place of a row is the number of its document.
fn chunks(rows: &[PgRow]) -> PortResult<Vec<FittingChunk>> {
    let mut chunks = Vec::new();
    for (row, document) in rows.iter().zip(0..) {
        let texts: Option<Vec<String>> = row.try_get("texts").map_err(translate)?;
        let Some(texts) = texts else { continue };
        let positions: Option<Vec<i32>> = row.try_get("positions").map_err(translate)?;
        for (position, text) in positions.into_iter().flatten().zip(texts) {
            let position = u32::try_from(position).unwrap_or_default();
            let importance = importance_of_chunk(position);
            chunks.push(FittingChunk { document, position, importance, text });
        }
    }
    Ok(chunks)
}
