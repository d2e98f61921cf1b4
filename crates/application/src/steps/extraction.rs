//! The EXTRACTION step reads the stored file and stores its text and its pages with the positions of words.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::reading::quality::{Quality, QualityVerdict};
use quire_domain::reading::{PlainText, Reading};
use quire_domain::{Document, DocumentId, Failure, FailureKind, FailureType, Run};
use quire_ports::{
    BlobStore, Documents, PortError, PortResult, ReadError, ReadErrorKind, ReadOutput, ReadRequest, Reader,
    Step, StepContext, StepOutput,
};

use super::error_code::{database_failure, storage_failure};
use super::recognised_pages::RecognisedPageCache;
use crate::document::pages::{PageEntry, PageIndex, RawTextArtifact};

/// The code of failures without a code of their own.
const FAILED: &str = FailureType::ExtractionFailed.as_str();
const LOW_QUALITY: &str = FailureType::ExtractionLowQuality.as_str();

/// The EXTRACTION step.
pub struct ExtractionStep {
    /// The records of documents.
    pub documents: Arc<dyn Documents>,
    /// Their files.
    pub blobs: Arc<dyn BlobStore>,
    /// Reads the files.
    pub reader: Arc<dyn Reader>,
    /// The size limit of a file in bytes.
    pub max_bytes: u64,
}

#[async_trait]
impl Step for ExtractionStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let file = self.load(&context.run).await?;
        let recognised =
            Arc::new(RecognisedPageCache { blobs: self.blobs.clone(), document: context.run.subject });
        let request = ReadRequest {
            file: file.into(),
            language: context.run.language.clone(),
            recognised: Some(recognised),
        };
        let read = self.reader.read(request).await.map_err(read_failure)?;
        let plain = read.reading.plain_text();
        check_quality(&plain.text).map_err(|failure| unread_failure(&read.reading).unwrap_or(failure))?;
        if *context.cancelled.borrow() {
            // The run belongs to another worker, or has ended. Its files are no longer this worker's to write.
            return Err(Failure::transient(FAILED, "the run was stopped"));
        }
        self.store_results(&context.run, &read, plain).await
    }

    /// Not ready while the storage cannot be used.
    async fn ready(&self) -> PortResult<()> {
        self.blobs.check().await
    }
}

impl ExtractionStep {
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
                error => storage_failure(&error),
            })?;
        if file.is_empty() {
            return Err(Failure::permanent(
                FAILED,
                "the file of the document is empty; upload the document again",
            ));
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
    ) -> Result<StepOutput, Failure> {
        let text = RawTextArtifact::new(run, &plain.text, read.language.as_deref());
        let (lines, pages) = pages_as_json_lines(&read.reading)?;
        let index = PageIndex {
            path: PageIndex::path_for(run),
            kind: read.kind,
            pages,
            covered_used: read.covered_used,
        };
        self.blobs.put(&text.path, plain.text.into_bytes()).await.map_err(|error| storage_failure(&error))?;
        self.blobs.put(&index.path, lines).await.map_err(|error| storage_failure(&error))?;
        let artifacts = vec![
            (RawTextArtifact::ARTIFACT.to_owned(), payload(&text)?),
            (PageIndex::ARTIFACT.to_owned(), payload(&index)?),
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
        lines.push(b'\n');
        entries.push(PageEntry {
            width: page.width,
            height: page.height,
            recognised: page.recognised,
            words: page.word_count(),
            covered_words: page.covered_word_count(),
            unread: page.unread.clone(),
            start,
            end,
        });
    }
    Ok((lines, entries))
}

fn payload(artifact: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(artifact).map_err(|_| not_serializable())
}

fn not_serializable() -> Failure {
    Failure::permanent(FAILED, "the text of the document cannot be stored; please report this document")
}

/// The quality gate: fails if the text is too poor to interpret.
fn check_quality(text: &str) -> Result<(), Failure> {
    let quality = Quality::of(text);
    let flaws: Vec<String> = quality.issues.iter().map(|flaw| format!("{flaw:?}")).collect();
    let diagnosis = format!("score {:.2}, flaws: {}", quality.score, flaws.join(", "));
    match quality.verdict() {
        QualityVerdict::Good => Ok(()),
        QualityVerdict::Unreadable => Err(Failure::permanent(
            FAILED,
            "the document has almost no readable text; if it is a scan, scan it again more clearly",
        )
        .with_diagnosis(diagnosis)),
        QualityVerdict::Low => Err(Failure::permanent(
            LOW_QUALITY,
            "the text of the document is too poor to be trusted; if it is a scan, scan it again more clearly; \
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
