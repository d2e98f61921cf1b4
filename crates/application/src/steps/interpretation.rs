//! INTERPRETATION: from the pages that were read to the first version of what they say.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::reading::{Page, Reading};
use quire_domain::{DocumentId, Failure, FailureKind, FailureType, Run, RunState};
use quire_ports::{
    BlobStore, Clock, Governance, InterpretError, InterpretRequest, Interpreter, PortError, RunHistory, Step,
    StepContext, StepOutput,
};
use quire_understanding::{Interpretation as Understood, Schema};

use super::{ConfidenceCalibrator, StepErrorCode};
use crate::document::pages::{PageIndex, RawTextArtifact};

/// The code of what has none of its own.
const FAILED: &str = FailureType::InterpretationFailed.as_str();
/// Bytes of the largest pages that are understood.
const LARGEST_PAGES: u64 = 256 << 20;

/// The INTERPRETATION step.
pub struct InterpretationStep {
    /// Where the run says what it has read.
    pub history: Arc<dyn RunHistory>,
    /// Where that is kept.
    pub blobs: Arc<dyn BlobStore>,
    /// Where schemas are.
    pub governance: Arc<dyn Governance>,
    /// What understands.
    pub interpreter: Arc<dyn Interpreter>,
    /// What says how sure that is.
    pub calibrate: ConfidenceCalibrator,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl Step for InterpretationStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let run = &context.run;
        let schema = self.schema(run).await?;
        let (reading, language) = self.load(run).await?;
        let request = InterpretRequest {
            reading: Arc::new(reading),
            language: language.clone(),
            schema: Arc::new(schema.clone()),
            deadline: deadline(run),
        };
        let interpreted = self.interpreter.interpret(request).await.map_err(not_understood)?;
        let (mut fields, made_by) = (interpreted.fields, interpreted.made_by);
        // Whoever understood it: what is critical is the schema's to say.
        for field in &mut fields {
            field.is_critical = schema.is_critical(&field.key);
        }
        let mut understood = Understood {
            schema_version: Understood::V0.to_owned(),
            document_id: DocumentId(run.subject.0),
            processing_run_id: run.id,
            created_at: self.clock.now(),
            context_key: None,
            policy_version: None,
            fields,
        };
        let calibrated =
            self.calibrate.apply(&mut understood, Schema::name_for(run), language.as_deref()).await;
        calibrated.map_err(|error| unavailable(&error))?;
        Ok(StepOutput { interpretation: Some(understood), made_by: Some(made_by), ..StepOutput::default() })
    }
}

impl InterpretationStep {
    /// The schema that the run was created with. A run from before there were any goes by the one that comes with the
    /// program.
    async fn schema(&self, run: &Run) -> Result<Schema, Failure> {
        let Some(bound) = &run.schema else { return Ok(Schema::built_in_default()) };
        let version = self.governance.schema(&bound.name, bound.version).await;
        version.map(|version| version.schema).map_err(|error| match error {
            PortError::NotFound(_) => {
                Failure::permanent(FAILED, "the schema of this run is gone; process the document again")
            }
            error => unavailable(&error),
        })
    }

    /// The pages, and the language in which they were read.
    async fn load(&self, run: &Run) -> Result<(Reading, Option<String>), Failure> {
        let artifacts = self.history.artifacts(run.id).await.map_err(|error| unavailable(&error))?;
        let payload = |kind: &str| {
            let artifact = artifacts.iter().rfind(|artifact| artifact.artifact_type == kind);
            artifact.map(|artifact| artifact.payload.as_str())
        };
        let index: PageIndex = payload(PageIndex::ARTIFACT)
            .and_then(|payload| serde_json::from_str(payload).ok())
            .ok_or_else(|| gone("the run does not say where its pages are"))?;
        let text: Option<RawTextArtifact> =
            payload(RawTextArtifact::ARTIFACT).and_then(|payload| serde_json::from_str(payload).ok());
        let lines = self.blobs.get(&index.path, LARGEST_PAGES).await.map_err(|error| match error {
            PortError::NotFound(_) => gone("the pages that were read are gone"),
            PortError::Conflict(_) => {
                Failure::permanent(FAILED, "the document is too large to be understood")
            }
            error => unavailable(&error),
        })?;
        let pages: Result<Vec<Page>, _> = lines
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(serde_json::from_slice)
            .collect();
        let pages = pages.map_err(|_| gone("the pages that were read cannot be read back"))?;
        let language =
            text.map(|text| text.language).filter(|code| code != RawTextArtifact::UNKNOWN_LANGUAGE);
        Ok((Reading { pages }, language))
    }
}

/// When nobody waits for the run any more.
fn deadline(run: &Run) -> Option<Timestamp> {
    match run.state {
        RunState::Running { deadline_at, .. } => deadline_at,
        _ => None,
    }
}

fn gone(what: &str) -> Failure {
    Failure::permanent(FAILED, format!("{what}; process the document again"))
}

fn not_understood(error: InterpretError) -> Failure {
    let kind = if error.may_pass { FailureKind::Transient } else { FailureKind::Permanent };
    Failure::new(kind, error.code, error.message)
}

fn unavailable(error: &PortError) -> Failure {
    Failure::transient(
        StepErrorCode::StorageUnavailable.as_str(),
        format!("storage did not do its part: {error}"),
    )
}
