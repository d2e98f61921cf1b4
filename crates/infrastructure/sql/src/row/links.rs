//! Link requests and their summaries.

use quire_domain::link::{ForwardMetadata, ForwardedText, RequestKind, SummaryLanguage};
use quire_domain::{RunId, SummaryId};
use quire_ports::{LinkRequest, LinkRun, LinkSource, NewSummary, PortResult, StoredSummary};
use serde::de::DeserializeOwned;

use super::{ColumnReader, known, run};
use crate::error::{bad_json, corrupt};

/// A row of `{run}`, `{link_request}` and `{summary}`, which may be missing.
pub fn link_run(row: &dyn ColumnReader) -> PortResult<LinkRun> {
    Ok(LinkRun { run: run(row)?, request: request(row)?, summary: summary(row)? })
}

fn request(row: &dyn ColumnReader) -> PortResult<LinkRequest> {
    let name = row.text("link_request_type")?;
    let kind = RequestKind::ALL.into_iter().find(|kind| kind.as_str() == name);
    let source = match known(kind, "type of request", name)? {
        RequestKind::Url => {
            let normalized = row.string("link_normalized_url")?;
            let input = row.optional_string("link_input_url")?;
            LinkSource::Url { input: input.unwrap_or_else(|| normalized.clone()), normalized }
        }
        RequestKind::Forward => LinkSource::Forward(ForwardedText {
            text: row.string("link_content_text")?,
            metadata: match row.optional_text("link_forward_json")? {
                Some(json) => parsed(json)?,
                None => ForwardMetadata::default(),
            },
        }),
    };
    Ok(LinkRequest {
        source,
        dedupe_hash: row.string("link_dedupe_hash")?,
        key_id: row.optional_uuid("link_user_id")?,
        language: SummaryLanguage::parse(row.text("link_language")?).map_err(corrupt)?,
        retry_of: row.optional_uuid("link_retry_of")?.map(RunId),
    })
}

fn summary(row: &dyn ColumnReader) -> PortResult<Option<StoredSummary>> {
    let Some(id) = row.optional_uuid("summary_id")? else { return Ok(None) };
    Ok(Some(StoredSummary {
        content: NewSummary {
            id: SummaryId(id),
            language: row.string("summary_language")?,
            payload: parsed(row.text("summary_json_payload")?)?,
            made_by: row.string("summary_made_by")?,
        },
        version: row.integer("summary_version")?,
        is_read: row.boolean("summary_is_read")?,
        deleted_at: row.optional_timestamp("summary_deleted_at")?,
        created_at: row.timestamp("summary_created_at")?,
    }))
}

fn parsed<T: DeserializeOwned>(json: &str) -> PortResult<T> {
    serde_json::from_str(json).map_err(bad_json)
}
