//! The pages that EXTRACTION stored for a run.

use quire_domain::reading::{Analysis, Reading};
use quire_domain::{Failure, RunId};
use quire_ports::{Artifact, BlobStore, PortError, RunReader};

use super::analysis_artifact::AnalysisArtifact;
use super::error_code::{StepErrorCode, database_failure, storage_failure};
use crate::document::pages::{MAX_PAGES_BYTES, PagesArtifact, RawTextArtifact, hash};

/// What EXTRACTION stored for a run.
pub(crate) struct RunPages {
    pub(crate) reading: Reading,
    pub(crate) language: Option<String>,
    artifacts: Vec<Artifact>,
}

impl RunPages {
    /// What a service found beside the text, if one read the document.
    pub(super) async fn analysis(&self, blobs: &dyn BlobStore) -> Result<Option<Analysis>, Failure> {
        AnalysisArtifact::load(&self.artifacts, blobs).await.map_err(|error| storage_failure(&error))
    }
}

/// The pages of a run. `code` is the code of a failure without one of its own.
pub(crate) async fn load_pages(
    history: &dyn RunReader,
    blobs: &dyn BlobStore,
    run: RunId,
    code: &'static str,
) -> Result<RunPages, Failure> {
    let lost = |what: &str| Failure::permanent(code, format!("{what}; process the document again"));
    let artifacts = history.artifacts(run).await.map_err(|error| database_failure(&error))?;
    let payload = |kind: &str| {
        let artifact = artifacts.iter().rfind(|artifact| artifact.artifact_type == kind);
        artifact.map(|artifact| artifact.payload.as_str())
    };
    let index: PagesArtifact = payload(PagesArtifact::ARTIFACT)
        .and_then(|payload| serde_json::from_str(payload).ok())
        .ok_or_else(|| lost("the pages of this run are not recorded"))?;
    let text: Option<RawTextArtifact> =
        payload(RawTextArtifact::ARTIFACT).and_then(|payload| serde_json::from_str(payload).ok());
    let lines = blobs.get(&index.path, MAX_PAGES_BYTES).await.map_err(|error| match error {
        PortError::NotFound(_) => lost("the pages of this run are missing"),
        PortError::Conflict(_) => {
            Failure::permanent(code, "the pages of the document are larger than 256 MB; split the document")
        }
        error => storage_failure(&error),
    })?;
    if index.sha256.as_ref().is_some_and(|stored| *stored != hash(&lines)) {
        // The disk or the line may read it right the next time.
        let message = "the pages of this run are not what was stored; process the document again";
        return Err(Failure::transient(StepErrorCode::FileDamaged.as_str(), message));
    }
    let reading = PagesArtifact::reading(&lines).map_err(|_| lost("the pages of this run cannot be read"))?;
    let language = text.map(|text| text.language).filter(|code| code != RawTextArtifact::UNKNOWN_LANGUAGE);
    Ok(RunPages { reading, language, artifacts })
}
