//! What became of a document, as it is written out.

use jiff::Timestamp;
use quire_application::document::pages::{PageIndex, RawTextArtifact};
use quire_application::review;
use quire_domain::SchemaRef;
use quire_domain::{Document, DocumentId, Run, RunId, RunState, hex};
use quire_ports::{BlobStore, PortError, Store};
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::visits::{self, Visit};
use quire_understanding::{Field, Value};
use serde::{Deserialize, Serialize};

use crate::trouble::Trouble;

/// The status of what was understood.
pub(super) const COMPLETED: &str = "COMPLETED";
/// The status of what never came as far as a run.
pub(super) const FAILED: &str = "FAILED";

/// The result of one file.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Outcome {
    pub(super) file: String,
    pub(super) sha256: Option<String>,
    /// What stands for the program, the schema and the settings by which this was understood.
    pub(super) settings: String,
    pub(super) status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    pub(super) document_id: Option<DocumentId>,
    pub(super) run_id: Option<RunId>,
    pub(super) created_at: Option<Timestamp>,
    pub(super) schema: Option<SchemaRef>,
    pub(super) language: Option<String>,
    pub(super) pages: Option<usize>,
    /// When and why; what happened there are the fields that name the visit.
    pub(super) visits: Vec<VisitHead>,
    pub(super) fields: Vec<Field>,
}

/// A visit that fields name.
#[derive(Clone, Debug, Serialize)]
pub(super) struct VisitHead {
    visit_id: String,
    visit_date: Value,
    admission_date: Value,
    discharge_date: Value,
    reason_for_visit: Value,
}

/// As much of a result as it takes to know that it is still good.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Head {
    pub(super) file: String,
    pub(super) sha256: Option<String>,
    pub(super) settings: String,
    pub(super) status: String,
    pub(super) error_code: Option<String>,
}

impl Outcome {
    /// The result of a file that was not taken in.
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

    pub(super) fn head(&self) -> Head {
        Head {
            file: self.file.clone(),
            sha256: self.sha256.clone(),
            settings: self.settings.clone(),
            status: self.status.clone(),
            error_code: self.error_code.clone(),
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
) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome {
        sha256: Some(hex(&document.content_hash)),
        settings: settings.to_owned(),
        status: run.state.as_str().to_owned(),
        document_id: Some(document.id),
        run_id: Some(run.id),
        created_at: Some(document.created_at),
        schema: run.schema.clone(),
        ..Outcome::default()
    };
    add_reading(store, run, &mut outcome).await?;
    if let Some(reason) = run.state.reason() {
        outcome.error_code = Some(reason.record.error_code.clone());
        outcome.message = Some(reason.record.message.clone());
    }
    if matches!(run.state, RunState::Completed { .. }) {
        let view = review::view(store, blobs, document.id).await?;
        // When and why visits were does not depend on how sure is sure.
        let grouped = visits::group_by_visit(&view.active.data, &view.schema, &ConfidencePolicy::default());
        outcome.visits = grouped.visits.into_iter().map(VisitHead::from).collect();
        outcome.fields = view.active.data.fields;
    }
    Ok(outcome)
}

/// What is known of the reading, which a run that failed later has as well.
async fn add_reading(store: &Store, run: &Run, outcome: &mut Outcome) -> Result<(), PortError> {
    let artifacts = store.history.artifacts(run.id).await?;
    let payload = |kind: &str| {
        let artifact = artifacts.iter().rfind(|artifact| artifact.artifact_type == kind);
        artifact.map(|artifact| artifact.payload.as_str())
    };
    let index =
        payload(PageIndex::ARTIFACT).and_then(|payload| serde_json::from_str::<PageIndex>(payload).ok());
    outcome.pages = index.map(|index| index.pages.len());
    let text = payload(RawTextArtifact::ARTIFACT)
        .and_then(|payload| serde_json::from_str::<RawTextArtifact>(payload).ok());
    outcome.language = text.map(|text| text.language);
    Ok(())
}

impl From<Visit> for VisitHead {
    fn from(visit: Visit) -> Self {
        let Visit { visit_id, visit_date, admission_date, discharge_date, reason_for_visit, .. } = visit;
        Self { visit_id, visit_date, admission_date, discharge_date, reason_for_visit }
    }
}
