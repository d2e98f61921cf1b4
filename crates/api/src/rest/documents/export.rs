//! `GET /documents/export`: the active values of many documents, streamed.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use quire_application::App;
use quire_application::audit::{Access, AccessAudit};
use quire_application::export::{Export, ExportedDocument, RowPrefix, heading, rows};
use quire_domain::{DocumentId, EventType, InterpretationId, RunId};
use serde::Serialize;
use utoipa::ToSchema;

use super::list;
use crate::ApiError;
use crate::caller::Caller;
use crate::request::Parameters;
use crate::rest::openapi::names;
use crate::rest::review::field::FieldResponse;

#[derive(Clone, Copy)]
enum ExportFormat {
    Csv,
    JsonLines,
}

/// Exports the active values of all documents, or of the filtered ones, as one file.
///
/// CSV has one line per value; JSON Lines has one `ExportedDocument` per line.
#[utoipa::path(
    get,
    path = "/documents/export",
    tag = "documents",
    operation_id = "export_documents",
    params(
        ("format" = Option<names::ExportFormat>, Query, description = "The format (default: csv)."),
        ("status" = Option<names::DocumentStatus>, Query, description = "Filter: the status of the document."),
        ("review_status" = Option<names::ReviewStatus>, Query, description = "Filter: whether a person has reviewed the document."),
        ("q" = Option<String>, Query, description = "Filter: text in the file name or in a value. Case and accents are ignored.", max_length = 200),
    ),
    responses((status = 200, description = "The file, streamed.",
        content((String = "text/csv"), (String = "application/x-ndjson")),
        headers(("Content-Disposition" = String, description = "The name of the file.")))),
)]
pub(crate) async fn export(
    State(app): State<Arc<App>>,
    State(audit): State<AccessAudit>,
    Caller(actor): Caller,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let all = [("csv", ExportFormat::Csv), ("jsonl", ExportFormat::JsonLines)];
    let (_, format) = parameters.one_of("format", &all, |(name, _)| name)?.unwrap_or(all[0]);
    let mut export = Export::new(app, list::filters(&parameters)?);
    // The first part is read before the response begins, so that an error still has a status.
    let first = export.next().await?;
    let header = format.opening();
    let parts = futures_util::stream::unfold((Some(first), export), move |(read, mut export)| {
        let (audit, actor) = (audit.clone(), actor.clone());
        async move {
            let part = match read {
                Some(part) => Ok(part),
                None => export.next().await,
            };
            match part {
                Ok(Some(documents)) => {
                    for one in &documents {
                        audit.record_when_room(access(&actor, one)).await;
                    }
                    Some((Ok(format.write(&documents)), (None, export)))
                }
                Ok(None) => None,
                // Closing the connection is the only way left to report the error.
                Err(error) => {
                    tracing::warn!(%error, "export aborted");
                    Some((Err(error), (Some(None), export)))
                }
            }
        }
    });
    let header = futures_util::stream::iter([Ok(header)]);
    let body = Body::from_stream(futures_util::StreamExt::chain(header, parts));
    let headers =
        [(header::CONTENT_TYPE, format.media_type()), (header::CONTENT_DISPOSITION, format.disposition())];
    Ok((headers, body).into_response())
}

/// The access to record for an exported document.
fn access(actor: &str, exported: &ExportedDocument) -> Access {
    Access {
        actor: actor.to_owned(),
        event_type: EventType::DocumentReviewViewed,
        subject: Some(exported.view.overview.document.id.into()),
        run: Some(exported.version.data.processing_run_id),
        failure: None,
    }
}

impl ExportFormat {
    fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::JsonLines => "application/x-ndjson",
        }
    }

    fn disposition(self) -> &'static str {
        match self {
            Self::Csv => "attachment; filename=\"quire-export.csv\"",
            Self::JsonLines => "attachment; filename=\"quire-export.jsonl\"",
        }
    }

    fn opening(self) -> String {
        match self {
            Self::Csv => heading(),
            Self::JsonLines => String::new(),
        }
    }

    fn write(self, documents: &[ExportedDocument]) -> String {
        documents
            .iter()
            .map(|document| match self {
                Self::Csv => csv_rows(document),
                Self::JsonLines => json_line(document),
            })
            .collect()
    }
}

fn csv_rows(exported: &ExportedDocument) -> String {
    let document = &exported.view.overview.document;
    let head = RowPrefix {
        document_id: Some(document.id),
        original_filename: &document.original_filename,
        created_at: Some(document.created_at),
        status: exported.view.processing.status.as_str(),
        review_status: document.review_status.as_str(),
        run_id: Some(exported.version.data.processing_run_id),
        version_number: Some(exported.version.number),
    };
    rows(&head, &exported.version.data.fields)
}

/// An exported document: one line of JSON.
#[derive(Serialize, ToSchema)]
#[schema(as = ExportedDocument)]
pub(crate) struct ExportedDocumentResponse<'e> {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    original_filename: &'e str,
    created_at: Timestamp,
    #[schema(value_type = names::DocumentStatus)]
    status: &'static str,
    #[schema(value_type = names::ReviewStatus)]
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<&'e str>,
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[schema(value_type = Uuid)]
    interpretation_id: InterpretationId,
    version_number: u32,
    fields: Vec<FieldResponse>,
}

fn json_line(exported: &ExportedDocument) -> String {
    let overview = &exported.view.overview;
    let json_line = ExportedDocumentResponse {
        document_id: overview.document.id,
        original_filename: &overview.document.original_filename,
        created_at: overview.document.created_at,
        status: exported.view.processing.status.as_str(),
        review_status: overview.document.review_status.as_str(),
        reviewed_at: overview.reviewed_at,
        reviewed_by: overview.reviewed_by.as_deref(),
        run_id: exported.version.data.processing_run_id,
        interpretation_id: exported.version.id,
        version_number: exported.version.number,
        fields: exported.version.data.fields.iter().cloned().map(FieldResponse::from).collect(),
    };
    // Stored JSON can always be written as JSON.
    serde_json::to_string(&json_line).map(|json_line| json_line + "\n").unwrap_or_default()
}
