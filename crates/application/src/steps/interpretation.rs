//! The INTERPRETATION step finds the fields of a schema in the pages and makes the first version of the interpretation.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use jiff::tz::TimeZone;
use quire_domain::reading::Reading;
use quire_domain::{DocumentId, Failure, FailureType, Run, SchemaRef};
use quire_ports::{
    BlobStore, CallContext, Clock, Governance, InterpretRequest, Interpreter, PortError, PortResult,
    RunReader, SchemaVersion, Step, StepContext, StepOutput,
};
use quire_understanding::rules::DocumentHints;
use quire_understanding::{
    Interpretation, MadeBy, Schema, SchemaFit, add_analysed_tables, add_pairs, add_tables,
    apply_embedded_data, schema_fits,
};

use super::ConfidenceCalibrator;
use super::error_code::{database_failure, storage_failure};
use super::kept_answers::KeptAnswerFiles;
use super::kept_pages::{KeptPages, LoadedPages};
use super::run_pages::{RunPages, load_pages};

/// The code of failures without a code of their own.
const FAILED: &str = FailureType::InterpretationFailed.as_str();
/// How many of the schemas that fit best are kept with the interpretation.
const FITS_KEPT: usize = 3;

/// The INTERPRETATION step.
pub struct InterpretationStep {
    /// The artifacts of the run, which say where its pages are.
    pub history: Arc<dyn RunReader>,
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
    /// Where EMBEDDING finds the pages. None without that step.
    pub kept_pages: Option<Arc<KeptPages>>,
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
        let pages = load_pages(&*self.history, &*self.blobs, run.id, FAILED).await?;
        let analysis = pages.analysis(&*self.blobs).await?;
        let RunPages { reading, language, .. } = pages;
        let reading = Arc::new(reading);
        let UsedSchema { schema, chosen, fits } = self.schema(run, &reading, language.as_deref()).await?;
        let request = InterpretRequest {
            context: CallContext::from(&context),
            reading: reading.clone(),
            language: language.clone(),
            schema: Arc::new(schema.clone()),
            deadline: Some(context.deadline.clone()),
            kept: Some(Arc::new(KeptAnswerFiles {
                blobs: self.blobs.clone(),
                document: run.subject,
                run: run.id,
            })),
        };
        let interpreted = self.interpreter.interpret(request).await?;
        let (mut fields, made_by) = (interpreted.fields, MadeBy { schema_fits: fits, ..interpreted.made_by });
        apply_embedded_data(&mut fields, &reading.pages, &schema);
        add_tables(&mut fields, &reading.pages, &schema);
        if let Some(analysis) = analysis {
            add_analysed_tables(&mut fields, &analysis.tables, &reading.pages, &schema);
            add_pairs(&mut fields, &analysis.pairs, &reading, &schema, language.as_deref());
        }
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
        let calibrated = self.calibrator.apply(&mut interpretation, &schema.name, language.as_deref()).await;
        calibrated.map_err(|error| database_failure(&error))?;
        if let Some(kept) = &self.kept_pages {
            kept.keep(run, LoadedPages { reading, language });
        }
        Ok(StepOutput {
            interpretation: Some(interpretation),
            made_by: Some(made_by),
            schema: chosen,
            ..StepOutput::default()
        })
    }

    /// Not ready while the storage cannot be used, or once a schema cannot be read.
    async fn ready(&self) -> PortResult<()> {
        self.unreadable.check()?;
        self.blobs.check().await
    }
}

/// The schema that a document is interpreted by.
struct UsedSchema {
    schema: Schema,
    /// The version that was chosen, if the run left the choice open and one fits.
    chosen: Option<SchemaRef>,
    /// The schemas that fit best, if the run left the choice open.
    fits: Vec<SchemaFit>,
}

impl InterpretationStep {
    /// The schema that the run is bound to, or the one that fits best if it leaves the choice open. An old run that is bound to
    /// none uses the built-in schema.
    async fn schema(
        &self,
        run: &Run,
        reading: &Reading,
        language: Option<&str>,
    ) -> Result<UsedSchema, Failure> {
        let used = |schema| UsedSchema { schema, chosen: None, fits: Vec::new() };
        let Some(bound) = &run.schema else { return Ok(used(Schema::built_in_default())) };
        let version = self.governance.schema(&bound.name, bound.version).await;
        let version = version.map_err(|error| match error {
            PortError::NotFound(_) => Failure::permanent(
                FAILED,
                "the schema of this run no longer exists; process the document again",
            ),
            PortError::Corrupt(_) => {
                self.unreadable.note(bound);
                storage_failure(&error)
            }
            error => database_failure(&error),
        })?;
        if bound.name != Schema::AUTO {
            return Ok(used(version.schema));
        }
        let all = self.current_schemas().await.map_err(|error| database_failure(&error))?;
        let schemas: Vec<Schema> = all.iter().map(|version| version.schema.clone()).collect();
        let today = self.clock.now().to_zoned(TimeZone::UTC).date();
        let hints = DocumentHints { language, today: Some(today) };
        let mut fits = schema_fits(&reading.pages, &schemas, hints);
        let best = fits.first().filter(|best| best.is_enough());
        let best = best.and_then(|best| all.into_iter().find(|version| version.schema.name == best.schema));
        fits.truncate(FITS_KEPT);
        Ok(match best {
            Some(SchemaVersion { schema, number, .. }) => {
                let chosen = SchemaRef { name: schema.name.clone(), version: number };
                UsedSchema { schema, chosen: Some(chosen), fits }
            }
            None => UsedSchema { fits, ..used(version.schema) },
        })
    }

    /// The newest versions of all schemas that this program can read.
    async fn current_schemas(&self) -> PortResult<Vec<SchemaVersion>> {
        let mut versions = Vec::new();
        for name in self.governance.schema_names().await? {
            match self.governance.current_schema(&name).await {
                Ok(version) => versions.push(version),
                Err(PortError::Corrupt(_)) => {
                    tracing::warn!(
                        schema = name,
                        "a newer version of Quire has stored this schema; it is not chosen"
                    );
                }
                Err(error) => return Err(error),
            }
        }
        Ok(versions)
    }
}
