//! The result of a file, as it is written.

use jiff::Timestamp;
use quire_application::document::pages::{PageNotice, PagesArtifact, RawTextArtifact};
use quire_application::review;
use quire_domain::SchemaRef;
use quire_domain::{Document, DocumentId, Run, RunId, RunState, hex};
use quire_ports::{BlobStore, PortError, Store};
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::visits::{self, Visit};
use quire_understanding::{Field, MadeBy, Schema, Value};
use serde::{Deserialize, Serialize};

use crate::error::CommandError;

/// The status of a processed document.
pub(in crate::cli) const COMPLETED: &str = "COMPLETED";
/// The status of a file that was refused before its run.
pub(super) const FAILED: &str = "FAILED";

/// The result of one file.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct FileResult {
    pub(super) file: String,
    pub(super) sha256: Option<String>,
    /// The fingerprint of the program, the schema and the settings.
    pub(super) settings: String,
    pub(super) status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    pub(super) document_id: Option<DocumentId>,
    pub(super) run_id: Option<RunId>,
    pub(super) created_at: Option<Timestamp>,
    /// The schema: the chosen one, or `auto` if none fits.
    pub(super) schema: Option<SchemaRef>,
    /// What people should know about the result, as `GET /runs/{id}` has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<&'static str>,
    pub(super) language: Option<String>,
    pub(super) pages: Option<usize>,
    /// The pages whose text is not complete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) page_notices: Vec<PageNotice>,
    /// Which interpreter found the fields, with which model, tokens and cost.
    pub(super) made_by: Option<MadeBy>,
    /// Date and reason of each visit. The fields of a visit name its `visit_id`.
    pub(super) visits: Vec<VisitSummary>,
    pub(super) fields: Vec<Field>,
}

/// Date and reason of a visit.
#[derive(Clone, Debug, Serialize)]
pub(super) struct VisitSummary {
    visit_id: String,
    visit_date: Value,
    admission_date: Value,
    discharge_date: Value,
    reason_for_visit: Value,
}

/// The part of a result that shows whether it is up to date.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct ResultHeader {
    pub(super) file: String,
    pub(super) sha256: Option<String>,
    pub(super) settings: String,
    pub(super) status: String,
    pub(super) error_code: Option<String>,
    #[serde(default)]
    page_notices: Vec<PageNotice>,
}

impl ResultHeader {
    /// Whether the document was processed with all its pages.
    pub(super) fn is_complete(&self) -> bool {
        self.status == COMPLETED && self.page_notices.iter().all(|notice| notice.unread.is_none())
    }
}

impl FileResult {
    /// The result of a file that was refused.
    pub(super) fn refused(sha256: Option<[u8; 32]>, settings: &str, code: &str, message: &str) -> Self {
        Self {
            sha256: sha256.map(|hash| hex(&hash)),
            settings: settings.to_owned(),
            status: FAILED.to_owned(),
            error_code: Some(code.to_owned()),
            message: Some(message.to_owned()),
            ..Self::default()
        }
    }

    pub(super) fn header(&self) -> ResultHeader {
        ResultHeader {
            file: self.file.clone(),
            sha256: self.sha256.clone(),
            settings: self.settings.clone(),
            status: self.status.clone(),
            error_code: self.error_code.clone(),
            page_notices: self.page_notices.clone(),
        }
    }
}

/// The result of a document whose run has ended.
pub(super) async fn of_run(
    store: &Store,
    blobs: &dyn BlobStore,
    document: &Document,
    run: &Run,
    settings: &str,
) -> Result<FileResult, CommandError> {
    let mut result = FileResult {
        sha256: Some(hex(&document.content_hash)),
        settings: settings.to_owned(),
        status: run.state.as_str().to_owned(),
        document_id: Some(document.id),
        run_id: Some(run.id),
        created_at: Some(document.created_at),
        schema: run.schema.clone(),
        ..FileResult::default()
    };
    add_reading(store, run, &mut result).await?;
    if let Some(reason) = run.state.reason() {
        result.error_code = Some(reason.record.error_code.clone());
        result.message = Some(reason.record.message.clone());
    }
    if matches!(run.state, RunState::Completed { .. }) {
        let view = review::view(store, blobs, document.id).await?;
        // Dates and reasons of visits do not depend on the policy.
        let grouped = visits::group_by_visit(&view.active.data, &view.schema, &ConfidencePolicy::default());
        result.visits = grouped.visits.into_iter().map(VisitSummary::from).collect();
        result.warnings = Schema::warnings(run);
        result.made_by = view.active.made_by;
        result.fields = view.active.data.fields;
    }
    Ok(result)
}

/// Adds pages and language, which a run that failed later has as well.
async fn add_reading(store: &Store, run: &Run, result: &mut FileResult) -> Result<(), PortError> {
    let artifacts = store.run_reader.artifacts(run.id).await?;
    let payload = |kind: &str| {
        let artifact = artifacts.iter().rfind(|artifact| artifact.artifact_type == kind);
        artifact.map(|artifact| artifact.payload.as_str())
    };
    let index = payload(PagesArtifact::ARTIFACT)
        .and_then(|payload| serde_json::from_str::<PagesArtifact>(payload).ok());
    result.pages = index.as_ref().map(|index| index.pages.len());
    result.page_notices = index.map(|index| index.notices()).unwrap_or_default();
    let text = payload(RawTextArtifact::ARTIFACT)
        .and_then(|payload| serde_json::from_str::<RawTextArtifact>(payload).ok());
    result.language = text.map(|text| text.language);
    Ok(())
}

impl From<Visit> for VisitSummary {
    fn from(visit: Visit) -> Self {
        let Visit { visit_id, visit_date, admission_date, discharge_date, reason_for_visit, .. } = visit;
        Self { visit_id, visit_date, admission_date, discharge_date, reason_for_visit }
    }
}
