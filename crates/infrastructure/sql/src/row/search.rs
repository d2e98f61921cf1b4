//! The search index.

use quire_domain::{DocumentId, DocumentStatus, ReviewStatus, RunId};
use quire_ports::{FieldFacet, Fingerprint, FoundDocument, OutdatedDocument, PortResult, StoredChunk};

use quire_understanding::search::decode_signature;

use super::ColumnReader;

/// A document that a query found.
pub fn found_document(row: &dyn ColumnReader) -> PortResult<FoundDocument> {
    let state = row.optional_text("state")?;
    let of_state = |status: &DocumentStatus| status.states().iter().any(|name| Some(name.as_str()) == state);
    Ok(FoundDocument {
        id: DocumentId(row.uuid("document_id")?),
        created_at: row.timestamp("created_at")?,
        chunk: row.optional_number("position")?,
        score: row.optional_float("score")?.unwrap_or_default(),
        schema: row.string("schema_name")?,
        language: row.optional_string("language")?,
        review: ReviewStatus::parse(row.text("review_status")?).unwrap_or_default(),
        status: DocumentStatus::ALL.into_iter().find(of_state).unwrap_or(DocumentStatus::Uploaded),
    })
}

/// The number of all documents that a query found.
pub fn found_total(row: &dyn ColumnReader) -> PortResult<u32> {
    row.integer("total")
}

/// A chunk of a document.
pub fn stored_chunk(row: &dyn ColumnReader) -> PortResult<StoredChunk> {
    Ok(StoredChunk {
        document: DocumentId(row.uuid("document_id")?),
        position: row.integer("position")?,
        page: row.optional_number("page")?,
        text: row.string("text")?,
        boxes: row.optional_bytes("boxes")?.unwrap_or_default().to_vec(),
    })
}

/// What the index knows of a document to compare it with others, without its vector, which each store has in its own form.
pub fn fingerprint(row: &dyn ColumnReader) -> PortResult<Fingerprint> {
    Ok(Fingerprint {
        signature: decode_signature(row.optional_bytes("signature")?.unwrap_or_default()),
        model: row.optional_string("embedding_model")?,
        embedding: None,
    })
}

/// A document and its signature.
pub fn signed_document(row: &dyn ColumnReader) -> PortResult<(DocumentId, Vec<u32>)> {
    let signature = decode_signature(row.optional_bytes("signature")?.unwrap_or_default());
    Ok((DocumentId(row.uuid("document_id")?), signature))
}

/// A value of a field and the number of its documents.
pub fn field_facet(row: &dyn ColumnReader) -> PortResult<FieldFacet> {
    Ok(FieldFacet { key: row.string("key")?, value: row.string("value")?, count: row.integer("count")? })
}

/// A document whose entry is outdated.
pub fn outdated_document(row: &dyn ColumnReader) -> PortResult<OutdatedDocument> {
    Ok(OutdatedDocument {
        id: DocumentId(row.uuid("document_id")?),
        run: row.optional_uuid("run_id")?.map(RunId),
    })
}
