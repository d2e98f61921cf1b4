//! The EXTRACTION step reads the stored file and stores its text and its pages with the positions of words.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use quire_domain::reading::quality::{Quality, QualityVerdict};
use quire_domain::reading::{AnalysedDocument, Extractor, FileKind, PlainText, Reading};
use quire_domain::{Document, DocumentId, Failure, FailureKind, FailureType, Run};
use quire_ports::{
    BlobStore, DocumentReader, Documents, Governance, PortError, PortResult, ReadError, ReadErrorKind,
    ReadOutput, ReadRequest, Step, StepContext, StepOutput,
};
use sha2::{Digest as _, Sha256};

use super::analysis_artifact::{AnalysisArtifact, AnalysisOutcome};
use super::document_intelligence::{DocumentIntelligenceReader, ReadDocument, SubmittedFile};
use super::error_code::{StepErrorCode, database_failure, storage_failure};
use super::recognised_pages::RecognisedPageCache;
use crate::document::ExtractorNotConfigured;
use crate::document::pages::{PageEntry, PagesArtifact, RawTextArtifact, hash};
use crate::lanes::LanePermits;

/// The code of failures without a code of their own.
const FAILED: &str = FailureType::ExtractionFailed.as_str();
const LOW_QUALITY: &str = FailureType::ExtractionLowQuality.as_str();

/// The EXTRACTION step.
pub struct ExtractionStep {
    /// The records of documents.
    pub documents: Arc<dyn Documents>,
    /// Their files.
    pub blobs: Arc<dyn BlobStore>,
    /// Reads the files on this machine.
    pub reader: Arc<dyn DocumentReader>,
    /// Reads them with Document Intelligence, if it is configured.
    pub document_intelligence: Option<DocumentIntelligenceReader>,
    /// Has the schemas, which may name an extractor.
    pub governance: Arc<dyn Governance>,
    /// Who reads documents if neither their run nor their schema names it.
    pub extractor: Extractor,
    /// The size limit of a file in bytes.
    pub max_bytes: u64,
    /// The permits that all steps of the process share. Recognising pages needs one of the lane `ocr`.
    pub lanes: Arc<LanePermits>,
}

#[async_trait]
impl Step for ExtractionStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let file: Arc<[u8]> = self.load(&context.run).await?.into();
        let (read, analysis) = match self.extractor_for(&context.run, &file).await? {
            Some(kind) => self.read_with_service(&context, file, kind).await?,
            None => (self.read_here(&context.run, file).await?, None),
        };
        let plain = read.reading.plain_text();
        let quality = Quality::of(&plain.text);
        // Data inside the file was written for programs: it counts whatever the pages show.
        if !read.reading.has_data() {
            check_quality(&quality).map_err(|failure| unread_failure(&read.reading).unwrap_or(failure))?;
        }
        if *context.cancelled.borrow() {
            // The run belongs to another worker, or has ended. Its files are no longer this worker's to write.
            return Err(Failure::transient(FAILED, "the run was stopped"));
        }
        let mut output = self.store_results(&context.run, &read, plain, quality).await?;
        if let Some(analysis) = analysis {
            output.artifacts.push(self.store_analysis(&context.run, analysis).await?);
        }
        Ok(output)
    }

    /// Not ready while the storage cannot be used.
    async fn ready(&self) -> PortResult<()> {
        self.blobs.check().await
    }
}

impl ExtractionStep {
    /// The kind of file if Document Intelligence reads it: it does so with PDF files and pictures.
    async fn extractor_for(&self, run: &Run, file: &[u8]) -> Result<Option<FileKind>, Failure> {
        let extractor = match run.extractor {
            Some(extractor) => extractor,
            None => self.schema_extractor(run).await?.unwrap_or(self.extractor),
        };
        let kind = FileKind::sniff(file).filter(|_| extractor == Extractor::DocumentIntelligence);
        Ok(kind.filter(|kind| matches!(kind, FileKind::Pdf | FileKind::Png | FileKind::Jpeg)))
    }

    /// The extractor that the schema of a run names.
    async fn schema_extractor(&self, run: &Run) -> Result<Option<Extractor>, Failure> {
        let Some(bound) = &run.schema else { return Ok(None) };
        match self.governance.schema(&bound.name, bound.version).await {
            Ok(version) => Ok(version.schema.extractor),
            // The next step says what is wrong with the schema.
            Err(PortError::NotFound(_) | PortError::Corrupt(_)) => Ok(None),
            Err(error) => Err(database_failure(&error)),
        }
    }

    /// Reads a file on this machine.
    async fn read_here(&self, run: &Run, file: Arc<[u8]>) -> Result<ReadOutput, Failure> {
        let recognised = Arc::new(RecognisedPageCache {
            blobs: self.blobs.clone(),
            document: run.subject,
            lanes: self.lanes.clone(),
            busy: Mutex::default(),
        });
        let request =
            ReadRequest { file, language: run.language.clone(), recognised: Some(recognised.clone()) };
        let read = self.reader.read(request).await;
        read.map_err(|error| recognised.take_busy().unwrap_or_else(|| read_failure(error)))
    }

    /// Reads a file with Document Intelligence, or on this machine if that fails and the settings say so.
    async fn read_with_service(
        &self,
        context: &StepContext,
        file: Arc<[u8]>,
        kind: FileKind,
    ) -> Result<(ReadOutput, Option<AnalysisOutcome>), Failure> {
        let run = &context.run;
        let service = self.document_intelligence.as_ref().ok_or_else(|| {
            Failure::permanent(
                StepErrorCode::ProviderNotConfigured.as_str(),
                ExtractorNotConfigured.to_string(),
            )
        })?;
        let pages = match kind {
            FileKind::Pdf => self.reader.page_count(file.clone()).await,
            // A picture is one page.
            _ => Some(1),
        };
        let submitted = SubmittedFile { file: file.clone(), kind, pages };
        let failure = match service.read(context, &submitted).await {
            Ok(ReadDocument { document: AnalysedDocument { reading, analysis }, cost }) => {
                let detect = || self.reader.detect_language(&reading.plain_text().text);
                let language = run.language.clone().or_else(detect);
                let read = ReadOutput { kind, reading, covered_used: false, language };
                return Ok((read, Some(AnalysisOutcome::Read { analysis, cost })));
            }
            Err(failure) => failure,
        };
        if !service.falls_back(context, &failure) {
            return Err(failure);
        }
        tracing::warn!(run_id = %run.id, error_code = failure.error_code, "Document Intelligence failed, reading the document locally");
        metrics::counter!("quire_document_intelligence_fallbacks_total").increment(1);
        let read = self.read_here(run, file).await?;
        Ok((read, Some(AnalysisOutcome::FellBack { reason: failure.error_code })))
    }

    /// Stores what the service found beside the text, in a file that carries the fence.
    async fn store_analysis(&self, run: &Run, outcome: AnalysisOutcome) -> Result<(String, String), Failure> {
        let artifact = match outcome {
            AnalysisOutcome::FellBack { reason } => {
                AnalysisArtifact { fallback_reason: Some(reason), ..AnalysisArtifact::default() }
            }
            AnalysisOutcome::Read { analysis, cost } => {
                let path = AnalysisArtifact::path_for(run);
                let content = serde_json::to_vec(&analysis).map_err(|_| not_serializable())?;
                let (bytes, sha256) = (Some(content.len() as u64), Some(hash(&content)));
                self.blobs.put(&path, content).await.map_err(|error| storage_failure(&error))?;
                AnalysisArtifact {
                    path: Some(path),
                    bytes,
                    sha256,
                    pages: analysis.word_confidence.len(),
                    pairs: analysis.pairs.len(),
                    tables: analysis.tables.len(),
                    warnings: analysis.warnings,
                    cost,
                    fallback_reason: None,
                }
            }
        };
        Ok((AnalysisArtifact::ARTIFACT.to_owned(), payload(&artifact)?))
    }

    /// The file of the document, which must be the one that was uploaded.
    async fn load(&self, run: &Run) -> Result<Vec<u8>, Failure> {
        let document = self.find(run).await?;
        let file =
            self.blobs.get(&document.storage_path, self.max_bytes).await.map_err(|error| match error {
                PortError::NotFound(_) => Failure::permanent(
                    FAILED,
                    "the file of the document is missing; upload the document again",
                ),
                PortError::Conflict(_) => Failure::permanent(
                    ReadErrorKind::DocumentTooLarge.as_str(),
                    format!(
                        "the file is larger than the limit of {} MB; split it, or raise reading.max_file_mb",
                        self.max_bytes >> 20
                    ),
                ),
                // The storage has a checksum of its own.
                PortError::Corrupt(_) => file_damaged(),
                error => storage_failure(&error),
            })?;
        if file.is_empty() {
            return Err(Failure::permanent(
                FAILED,
                "the file of the document is empty; upload the document again",
            ));
        }
        if <[u8; 32]>::from(Sha256::digest(&file)) != document.content_hash {
            return Err(file_damaged());
        }
        Ok(file)
    }

    async fn find(&self, run: &Run) -> Result<Document, Failure> {
        self.documents.find(DocumentId(run.subject.0)).await.map_err(|error| match error {
            PortError::NotFound(_) => {
                Failure::permanent(FAILED, "the record of the document is missing; upload the document again")
            }
            error => database_failure(&error),
        })
    }

    /// Stores text and pages beside the original. A repeated attempt overwrites the text; the name of the pages
    /// carries the fence.
    async fn store_results(
        &self,
        run: &Run,
        read: &ReadOutput,
        plain: PlainText,
        quality: Quality,
    ) -> Result<StepOutput, Failure> {
        let text = RawTextArtifact::new(run, &plain.text, read.language.as_deref());
        let (lines, pages) = pages_as_json_lines(&read.reading)?;
        let index = PagesArtifact {
            path: PagesArtifact::path_for(run),
            bytes: Some(lines.len() as u64),
            sha256: Some(hash(&lines)),
            kind: read.kind,
            pages,
            covered_used: read.covered_used,
            text_properties: quality.properties,
            text_reliability: Some(quality.score),
        };
        self.blobs.put(&text.path, plain.text.into_bytes()).await.map_err(|error| storage_failure(&error))?;
        self.blobs.put(&index.path, lines).await.map_err(|error| storage_failure(&error))?;
        let artifacts = vec![
            (RawTextArtifact::ARTIFACT.to_owned(), payload(&text)?),
            (PagesArtifact::ARTIFACT.to_owned(), payload(&index)?),
        ];
        Ok(StepOutput { artifacts, ..StepOutput::default() })
    }
}

/// Each page as a line of JSON, with the byte range of each line, so that one page can be read without the others.
fn pages_as_json_lines(reading: &Reading) -> Result<(Vec<u8>, Vec<PageEntry>), Failure> {
    let mut lines = Vec::new();
    let mut entries = Vec::with_capacity(reading.pages.len());
    for page in &reading.pages {
        let start = lines.len() as u64;
        serde_json::to_writer(&mut lines, page).map_err(|_| not_serializable())?;
        let end = lines.len() as u64;
        let sha256 = usize::try_from(start).ok().and_then(|start| lines.get(start..)).map(hash);
        lines.push(b'\n');
        entries.push(PageEntry {
            width: page.width,
            height: page.height,
            recognised: page.recognised,
            words: page.word_count(),
            covered_words: page.covered_word_count(),
            unread: page.unread.clone(),
            data_problem: page.data.iter().find_map(|data| data.problem.clone()),
            start,
            end,
            sha256,
        });
    }
    Ok((lines, entries))
}

fn payload(artifact: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(artifact).map_err(|_| not_serializable())
}

/// The disk or the line may read it right the next time, so the engine tries again.
fn file_damaged() -> Failure {
    Failure::transient(
        StepErrorCode::FileDamaged.as_str(),
        "the stored file is not the one that was uploaded; restore it from a backup, or upload the document again",
    )
}

fn not_serializable() -> Failure {
    Failure::permanent(FAILED, "the text of the document cannot be stored; please report this document")
}

/// The quality gate: fails if the text cannot be what the pages show.
fn check_quality(quality: &Quality) -> Result<(), Failure> {
    let issues: Vec<String> = quality.issues.iter().map(|issue| format!("{issue:?}")).collect();
    let diagnosis = format!("score {:.2}, issues: {}", quality.score, issues.join(", "));
    match quality.verdict() {
        QualityVerdict::Good => Ok(()),
        QualityVerdict::Unreadable => Err(Failure::permanent(
            FAILED,
            "the document has almost no readable text; if it is a scan, scan it again more clearly",
        )
        .with_diagnosis(diagnosis)),
        QualityVerdict::Low => Err(Failure::permanent(
            LOW_QUALITY,
            "the text of the document cannot be what its pages show; if it is a scan, scan it again more clearly; \
             otherwise print it to a new PDF",
        )
        .with_failure_type(FailureType::ExtractionLowQuality)
        .with_diagnosis(diagnosis)),
    }
}

/// The reason of the first unread page. If the text of the others is too poor, the missing pages are the cause.
fn unread_failure(reading: &Reading) -> Option<Failure> {
    let unread = reading.pages.iter().find_map(|page| page.unread.as_ref())?;
    Some(Failure::permanent(unread.error_code.clone(), unread.message.clone()))
}

fn read_failure(error: ReadError) -> Failure {
    let kind = if error.kind.is_retryable() { FailureKind::Transient } else { FailureKind::Permanent };
    let failure = Failure::new(kind, error.kind.as_str(), error.message);
    match error.diagnosis {
        Some(diagnosis) => failure.with_diagnosis(diagnosis),
        None => failure,
    }
}
