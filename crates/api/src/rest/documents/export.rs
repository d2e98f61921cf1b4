//! `GET /documents/export`: the active values of many documents, streamed.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use quire_application::App;
use quire_application::audit::{Access, AccessAudit};
use quire_application::export::{BYTE_ORDER_MARK, CsvText, Export, ExportedDocument, TableRows, XlsxSheet};
use quire_domain::{DocumentId, EventType, InterpretationId, RunId};
use serde::Serialize;
use utoipa::ToSchema;

use super::list;
use crate::ApiError;
use crate::caller::Caller;
use crate::request::Parameters;
use crate::rest::openapi::names;
use crate::rest::review::field::FieldResponse;

/// The most rows of an XLSX file, for the error message.
const MAX_ROWS: u32 = XlsxSheet::MAX_ROWS;

/// What the file looks like.
#[derive(Clone)]
enum ExportFormat {
    Csv(Arc<TableRows>),
    JsonLines,
    Xlsx(Arc<TableRows>),
}

/// Exports the active values of all documents, or of the filtered ones, as one file.
///
/// CSV and XLSX have one row per value, or with `rows=documents` one row per document and one column per key. JSON Lines has one
/// `ExportedDocument` per line. CSV and JSON Lines are streamed, however many documents there are; an XLSX file has at most
/// 100,000 rows. No text becomes a formula in a spreadsheet: in CSV an apostrophe stands before each sign that could begin one.
#[utoipa::path(
    get,
    path = "/documents/export",
    tag = "documents",
    operation_id = "export_documents",
    params(
        ("format" = Option<names::ExportFormat>, Query, description = "The format (default: csv)."),
        ("rows" = Option<names::ExportRows>, Query, description = "What a row of a table is about (default: values). JSON Lines have one line per document and ignore it."),
        ("bom" = Option<bool>, Query, description = "Whether a CSV file begins with a byte order mark, by which older spreadsheets recognise UTF-8 (default: false). Other formats ignore it."),
        ("status" = Option<names::DocumentStatus>, Query, description = "Filter: the status of the document."),
        ("review_status" = Option<names::ReviewStatus>, Query, description = "Filter: whether a person has reviewed the document."),
        ("q" = Option<String>, Query, description = "Filter: words in the file name, in a value or in the text, or their beginnings; \"phrases\" and -words. Case and accents are ignored.", max_length = 200),
    ),
    responses((status = 200, description = "The file, streamed.",
        content((String = "text/csv"), (String = "application/x-ndjson"),
            (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
        headers(("Content-Disposition" = String, description = "The name of the file.")))),
)]
pub(crate) async fn export(
    State(app): State<Arc<App>>,
    State(audit): State<AccessAudit>,
    Caller(actor): Caller,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let format = ExportFormat::of(&app, &parameters).await?;
    let opening = format.opening(&parameters)?;
    let mut export = Export::new(app, list::filters(&parameters)?);
    let headers =
        [(header::CONTENT_TYPE, format.media_type()), (header::CONTENT_DISPOSITION, format.disposition())];
    if let ExportFormat::Xlsx(rows) = format {
        return Ok((headers, workbook(&rows, export, &audit, &actor).await?).into_response());
    }
    // The first part is read before the response begins, so that an error still has a status.
    let first = export.next().await?;
    let parts = futures_util::stream::unfold((Some(first), export), move |(read, mut export)| {
        let (audit, actor, format) = (audit.clone(), actor.clone(), format.clone());
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
    let opening = futures_util::stream::iter([Ok(opening)]);
    let body = Body::from_stream(futures_util::StreamExt::chain(opening, parts));
    Ok((headers, body).into_response())
}

/// All documents in one XLSX file. It cannot be streamed, since its index is at its end.
async fn workbook(
    rows: &TableRows,
    mut export: Export,
    audit: &AccessAudit,
    actor: &str,
) -> Result<Vec<u8>, ApiError> {
    let mut sheet = XlsxSheet::new();
    rows.write_heading(&mut sheet);
    while let Some(documents) = export.next().await? {
        for one in &documents {
            if sheet.is_full() {
                let rule =
                    format!("xlsx has at most {MAX_ROWS} rows here; filter the documents, or choose csv");
                return Err(ApiError::invalid("format", &rule));
            }
            rows.write(one, &mut sheet);
        }
        for one in &documents {
            audit.record_when_room(access(actor, one)).await;
        }
    }
    let file = tokio::task::spawn_blocking(move || sheet.finish()).await;
    let file = file.map_err(|error| ApiError::internal(&error.to_string()))?;
    file.map_err(|error| ApiError::internal(&error.to_string()))
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
    async fn of(app: &Arc<App>, parameters: &Parameters) -> Result<Self, ApiError> {
        let format = parameters.one_of("format", &["csv", "jsonl", "xlsx"], |name| name)?.unwrap_or("csv");
        let per_document =
            parameters.one_of("rows", &["values", "documents"], |name| name)? == Some("documents");
        if format == "jsonl" {
            return Ok(Self::JsonLines);
        }
        let rows = if per_document {
            TableRows::Documents(Export::key_columns(app.clone(), list::filters(parameters)?).await?)
        } else {
            TableRows::Values
        };
        Ok(if format == "xlsx" { Self::Xlsx(Arc::new(rows)) } else { Self::Csv(Arc::new(rows)) })
    }

    fn media_type(&self) -> &'static str {
        match self {
            Self::Csv(_) => "text/csv; charset=utf-8; header=present",
            Self::JsonLines => "application/x-ndjson",
            Self::Xlsx(_) => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }

    fn disposition(&self) -> &'static str {
        match self {
            Self::Csv(_) => "attachment; filename=\"quire-export.csv\"",
            Self::JsonLines => "attachment; filename=\"quire-export.jsonl\"",
            Self::Xlsx(_) => "attachment; filename=\"quire-export.xlsx\"",
        }
    }

    /// What comes before the documents.
    fn opening(&self, parameters: &Parameters) -> Result<String, ApiError> {
        let wants_mark = parameters.value("bom", "must be true or false")?.unwrap_or(false);
        let mark = if wants_mark { BYTE_ORDER_MARK } else { "" };
        match self {
            Self::Csv(rows) => {
                let mut text = CsvText::default();
                rows.write_heading(&mut text);
                Ok(format!("{mark}{}", text.take()))
            }
            Self::JsonLines | Self::Xlsx(_) => Ok(String::new()),
        }
    }

    fn write(&self, documents: &[ExportedDocument]) -> String {
        match self {
            Self::Csv(rows) | Self::Xlsx(rows) => {
                let mut text = CsvText::default();
                for document in documents {
                    rows.write(document, &mut text);
                }
                text.take()
            }
            Self::JsonLines => documents.iter().map(json_line).collect(),
        }
    }
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
