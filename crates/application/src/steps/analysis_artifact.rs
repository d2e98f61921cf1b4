//! The artifact that says what a document analysis service found beside the text, and where it is stored.

use quire_domain::Run;
use quire_domain::reading::Analysis;
use quire_ports::{Artifact, BlobStore, PortResult};
use serde::{Deserialize, Serialize};

use crate::document::pages::hash;

/// The size limit of the file: 64 MB.
const MAX_BYTES: u64 = 64 << 20;

/// How a document was read that a service was asked to read.
pub(super) enum AnalysisOutcome {
    /// By the service.
    Read { analysis: Analysis, cost: Option<f64> },
    /// By the local reader, because the service failed with this code.
    FellBack { reason: String },
}

/// What is known about the analysis of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct AnalysisArtifact {
    /// The name of the file with pairs, tables and the confidence of words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) path: Option<String>,
    /// Its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
    /// SHA-256 of its content, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sha256: Option<String>,
    /// How many pages were read.
    pub(super) pages: usize,
    /// How many pairs there are.
    pub(super) pairs: usize,
    /// How many tables there are.
    pub(super) tables: usize,
    /// What the service warns of.
    pub(super) warnings: Vec<String>,
    /// What it cost, if the price is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost: Option<f64>,
    /// Why the local reader read the document instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fallback_reason: Option<String>,
}

impl AnalysisArtifact {
    /// The type of the artifact.
    pub(super) const ARTIFACT: &'static str = "DOCUMENT_INTELLIGENCE";

    /// The name of the file that the owner of a run writes.
    pub(super) fn path_for(run: &Run) -> String {
        format!("{}/runs/{}/analysis.{}.json", run.subject, run.id, run.fence.0)
    }

    /// The analysis among the artifacts of a run, if there is one. If its file is lost or damaged, the text is interpreted alone.
    /// Fails while the storage does not answer.
    pub(super) async fn load(artifacts: &[Artifact], blobs: &dyn BlobStore) -> PortResult<Option<Analysis>> {
        let artifact = artifacts.iter().rfind(|artifact| artifact.artifact_type == Self::ARTIFACT);
        let stored = artifact.and_then(|artifact| serde_json::from_str::<Self>(&artifact.payload).ok());
        let Some((path, sha256)) = stored.and_then(|stored| Some((stored.path?, stored.sha256))) else {
            return Ok(None);
        };
        let is_stored = |content: &[u8]| sha256.as_ref().is_none_or(|sha256| *sha256 == hash(content));
        let analysis = match blobs.get(&path, MAX_BYTES).await {
            Ok(content) if is_stored(&content) => serde_json::from_slice(&content).ok(),
            Err(error) if error.is_retryable() => return Err(error),
            Ok(_) | Err(_) => None,
        };
        if analysis.is_none() {
            tracing::warn!(path, "Document Intelligence: the analysis of a run is lost, going on without it");
        }
        Ok(analysis)
    }
}
