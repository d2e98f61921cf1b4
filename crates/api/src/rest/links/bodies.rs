//! What the operations of links share in their responses.

use jiff::Timestamp;
use quire_application::link::{LinkRun, LinkSource, StoredSummary};
use quire_domain::Run;
use quire_domain::link::{failed_stage, request_status};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::rest::openapi::names;

/// A request.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkRequest)]
pub(crate) struct LinkRequestBody {
    request_id: Uuid,
    #[schema(value_type = names::LinkRequestType)]
    r#type: &'static str,
    #[schema(value_type = names::LinkRequestStatus)]
    status: &'static str,
    correlation_id: Option<String>,
    /// The API key of the client, if it had one.
    user_id: Option<Uuid>,
    input_url: Option<String>,
    normalized_url: Option<String>,
    /// SHA-256 of the normalized address, or of what identifies the forwarded text.
    dedupe_hash: String,
    content_text: Option<String>,
    /// Where a forwarded text comes from.
    #[schema(value_type = Option<Object>)]
    forward_metadata: Option<Value>,
    #[schema(value_type = names::SummaryLanguage)]
    lang_preference: &'static str,
    /// The failed request that this one repeats.
    retry_of: Option<Uuid>,
    created_at: Timestamp,
    /// Milliseconds from the start of the last attempt to its end.
    pub(super) processing_time_ms: Option<i64>,
    error: Option<LinkErrorBody>,
}

/// Why a request failed.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkError)]
pub(crate) struct LinkErrorBody {
    /// The class of the error: whether another attempt could have helped.
    error_type: String,
    /// The stable code of the stage that failed, or why the run ended from outside.
    error_code: &'static str,
    /// The stable code of the cause.
    reason_code: String,
    /// What happened and what to do, for people.
    message: String,
    /// `lock`, `extraction` or `summarization`.
    stage: Option<&'static str>,
    correlation_id: Option<String>,
}

/// A summary.
#[derive(Serialize, ToSchema)]
#[schema(as = Summary)]
pub(crate) struct SummaryBody {
    summary_id: Uuid,
    request_id: Uuid,
    /// The language, as ISO 639-1.
    lang: String,
    /// The summary. The guide to links has a table of its members.
    #[schema(value_type = Object)]
    pub(super) json_payload: Map<String, Value>,
    /// The model that made it, or the name of the built-in method.
    pub(super) made_by: String,
    version: u32,
    is_read: bool,
    created_at: Timestamp,
}

impl LinkRequestBody {
    pub(crate) fn of(link: &LinkRun) -> Self {
        let (run, request) = (&link.run, &link.request);
        let (input_url, normalized_url, content_text, forward_metadata) = match &request.source {
            LinkSource::Url { input, normalized } => {
                (Some(input.clone()), Some(normalized.clone()), None, None)
            }
            LinkSource::Forward(forward) => {
                (None, None, Some(forward.text.clone()), serde_json::to_value(&forward.metadata).ok())
            }
        };
        let started_and_ended = run.state.started_at().zip(run.state.completed_at());
        let taken = started_and_ended.map(|(start, end)| end.duration_since(start).as_millis());
        Self {
            request_id: run.id.0,
            r#type: request.source.kind().as_str(),
            status: request_status(&run.state),
            correlation_id: run.correlation_id.clone(),
            user_id: request.key_id,
            input_url,
            normalized_url,
            dedupe_hash: request.dedupe_hash.clone(),
            content_text,
            forward_metadata,
            lang_preference: request.language.as_str(),
            retry_of: request.retry_of.map(|id| id.0),
            created_at: run.created_at,
            processing_time_ms: taken.and_then(|taken| i64::try_from(taken).ok()),
            error: LinkErrorBody::of(run),
        }
    }
}

impl LinkErrorBody {
    /// Why a run failed, if it did.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let reason = run.state.reason()?;
        let record = &reason.record;
        Some(Self {
            error_type: record.error_type.clone(),
            error_code: reason.failure_type.as_str(),
            reason_code: record.error_code.clone(),
            message: record.message.clone(),
            stage: failed_stage(&run.state),
            correlation_id: record.correlation_id.clone().or_else(|| run.correlation_id.clone()),
        })
    }
}

impl SummaryBody {
    pub(crate) fn of(request: Uuid, summary: StoredSummary) -> Self {
        Self {
            summary_id: summary.content.id.0,
            request_id: request,
            lang: summary.content.language,
            json_payload: summary.content.payload,
            made_by: summary.content.made_by,
            version: summary.version,
            is_read: summary.is_read,
            created_at: summary.created_at,
        }
    }
}
