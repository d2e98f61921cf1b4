//! The INTERPRETATION step finds the fields of a schema in the pages and makes the first version of the interpretation.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use quire_domain::reading::Reading;
use quire_domain::{DocumentId, Failure, FailureType, Run, SchemaRef};
use quire_ports::{
    BlobStore, CallContext, Clock, Governance, InterpretRequest, Interpreter, PortError, PortResult,
    RunHistory, Step, StepContext, StepOutput,
};
use quire_understanding::{Interpretation, Schema};

use super::ConfidenceCalibrator;
use super::error_code::{database_failure, storage_failure};
use crate::document::pages::{MAX_PAGES_BYTES, PageIndex, RawTextArtifact};

/// The code of failures without a code of their own.
const FAILED: &str = FailureType::InterpretationFailed.as_str();

/// The INTERPRETATION step.
pub struct InterpretationStep {
    /// The artifacts of the run, which say where its pages are.
    pub history: Arc<dyn RunHistory>,
    /// The files of the pages.
    pub blobs: Arc<dyn BlobStore>,
    /// The schemas.
    pub governance: Arc<dyn Governance>,
    /// Finds the fields.
    pub interpreter: Arc<dyn Interpreter>,
    /// Adjusts the confidence of the fields.
    pub calibrator: ConfidenceCalibrator,
    /// The time of the version.
    pub clock: Arc<dyn Clock>,
    /// A schema that this program cannot read.
    pub unreadable: UnreadableSchema,
}

/// A schema version that a newer program has stored and this one cannot read. Runs that are bound to it wait for a process
/// that can, so this process takes none.
#[derive(Default)]
pub struct UnreadableSchema(Mutex<Option<SchemaRef>>);

impl UnreadableSchema {
    fn note(&self, schema: &SchemaRef) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(schema.clone());
    }

    fn check(&self) -> PortResult<()> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(SchemaRef { name, version }) => Err(PortError::Conflict(format!(
                "version {version} of the schema {name} was stored by a newer version of Quire, and this one cannot read \
                 it; update this process"
            ))),
        }
    }
}

#[async_trait]
impl Step for InterpretationStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let run = &context.run;
        let schema = self.schema(run).await?;
        let (reading, language) = self.load(run).await?;
        let request = InterpretRequest {
            context: CallContext::from(&context),
            reading: Arc::new(reading),
            language: language.clone(),
            schema: Arc::new(schema.clone()),
            deadline: Some(context.deadline.clone()),
        };
        let interpreted = self.interpreter.interpret(request).await?;
        let (mut fields, made_by) = (interpreted.fields, interpreted.made_by);
        // The schema decides which fields are critical, not the interpreter.
        for field in &mut fields {
            field.is_critical = schema.is_critical(&field.key);
        }
        let mut interpretation = Interpretation {
            schema_version: Interpretation::V0.to_owned(),
            document_id: DocumentId(run.subject.0),
            processing_run_id: run.id,
            created_at: self.clock.now(),
            context_key: None,
            policy_version: None,
            fields,
        };
        let calibrated =
            self.calibrator.apply(&mut interpretation, Schema::name_for(run), language.as_deref()).await;
        calibrated.map_err(|error| database_failure(&error))?;
        Ok(StepOutput {
            interpretation: Some(interpretation),
            made_by: Some(made_by),
            ..StepOutput::default()
        })
    }

    /// Not ready while the storage cannot be used, or once a schema cannot be read.
    async fn ready(&self) -> PortResult<()> {
        self.unreadable.check()?;
        self.blobs.check().await
    }
}

impl InterpretationStep {
    /// The schema that the run is bound to. An old run that is bound to none uses the built-in schema.
    async fn schema(&self, run: &Run) -> Result<Schema, Failure> {
        let Some(bound) = &run.schema else { return Ok(Schema::built_in_default()) };
        let version = self.governance.schema(&bound.name, bound.version).await;
        version.map(|version| version.schema).map_err(|error| match error {
            PortError::NotFound(_) => Failure::permanent(
                FAILED,
                "the schema of this run no longer exists; process the document again",
            ),
            PortError::Corrupt(_) => {
                self.unreadable.note(bound);
                storage_failure(&error)
            }
            error => database_failure(&error),
        })
    }

    /// The pages and their language.
    async fn load(&self, run: &Run) -> Result<(Reading, Option<String>), Failure> {
        let artifacts = self.history.artifacts(run.id).await.map_err(|error| database_failure(&error))?;
        let payload = |kind: &str| {
            let artifact = artifacts.iter().rfind(|artifact| artifact.artifact_type == kind);
            artifact.map(|artifact| artifact.payload.as_str())
        };
        let index: PageIndex = payload(PageIndex::ARTIFACT)
            .and_then(|payload| serde_json::from_str(payload).ok())
            .ok_or_else(|| lost("the pages of this run are not recorded"))?;
        let text: Option<RawTextArtifact> =
            payload(RawTextArtifact::ARTIFACT).and_then(|payload| serde_json::from_str(payload).ok());
        let lines = self.blobs.get(&index.path, MAX_PAGES_BYTES).await.map_err(|error| match error {
            PortError::NotFound(_) => lost("the pages of this run are missing"),
            PortError::Conflict(_) => Failure::permanent(
                FAILED,
                "the pages of the document are larger than 256 MB; split the document",
            ),
            error => storage_failure(&error),
        })?;
        let reading = PageIndex::reading(&lines).map_err(|_| lost("the pages of this run cannot be read"))?;
        let language =
            text.map(|text| text.language).filter(|code| code != RawTextArtifact::UNKNOWN_LANGUAGE);
        Ok((reading, language))
    }
}

fn lost(what: &str) -> Failure {
    Failure::permanent(FAILED, format!("{what}; process the document again"))
}
