//! Indexes the documents whose entry in the search index is not that of their latest completed run: those from before the
//! index, and those that were processed while search was switched off.
//!
//! What is left to do follows from the database alone, so the work goes on where it was after an interruption. One process of an
//! installation does it at a time. A document that the model refuses is found by its words, and is tried again later and
//! later; the others do not wait for it.
//!
//! The work has a name, that of its lane, by which an operator sees and pauses it, and a gauge that tells how much is left.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quire_domain::{DocumentId, FailureKind, FailureType, LaneName};
use quire_ports::{
    BlobStore, CallContext, EmbedRequest, Embedder, IndexedText, IndexingLock, ModelErrorKind,
    OutdatedDocument, OutdatedQuery, PortError, PortResult, Store,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::lanes::{LanePermit, LanePermits};
use crate::steps::{add_vectors, indexed_text, load_pages};

/// Documents that one query looks for.
const BATCH: u32 = 100;
/// The most documents that one query counts.
const MAX_COUNTED: u32 = 10_000;
/// How often a paused indexer looks whether it may go on.
const PAUSED_POLL: Duration = Duration::from_secs(1);
/// Pause between two documents, so that the work of others goes first.
const DOCUMENT_PAUSE: Duration = Duration::from_millis(5);
/// Pause before the next try when the store, the storage or the model is not available, or another process indexes. It doubles
/// with each try.
const BASE_RETRY_DELAY: Duration = Duration::from_secs(30);
/// The longest pause.
const MAX_RETRY: Duration = Duration::from_hours(6);
/// Documents in a row that cannot be indexed. More mean that it is not because of the documents.
const FAILURES_IN_A_ROW: u32 = 3;
/// Documents in a row that the model refuses. More mean that it refuses everything.
const REFUSALS_IN_A_ROW: u32 = 20;

/// Indexes documents again.
pub struct Indexer {
    store: Store,
    blobs: Arc<dyn BlobStore>,
    /// Makes the vectors of texts. None if names and values alone are indexed.
    embedder: Option<Arc<dyn Embedder>>,
    lanes: Arc<LanePermits>,
    /// Documents that could not be indexed, and when to try again.
    failed: Mutex<HashMap<DocumentId, FailedDocument>>,
}

#[derive(Clone, Copy)]
struct FailedDocument {
    document: OutdatedDocument,
    tries: u32,
    due: Instant,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Documents that were indexed.
    pub indexed: u64,
    /// Documents of them whose pages are lost, so that they are found by their names and values alone.
    pub without_text: u64,
    /// Documents that are left to be tried again.
    pub failed: u64,
}

/// Why a document was not indexed, or not completely.
enum IndexError {
    /// The model refuses its text. It is found by its words.
    Refused(String),
    /// It could not be read or stored, or the model did not answer.
    Unavailable(PortError),
}

impl From<PortError> for IndexError {
    fn from(error: PortError) -> Self {
        Self::Unavailable(error)
    }
}

fn unavailable(reason: String) -> PortError {
    PortError::Unavailable { service: "search", reason, contention: false }
}

impl Indexer {
    /// An indexer of a store and its files.
    pub fn new(
        store: Store,
        blobs: Arc<dyn BlobStore>,
        embedder: Option<Arc<dyn Embedder>>,
        lanes: Arc<LanePermits>,
    ) -> Self {
        Self { store, blobs, embedder, lanes, failed: Mutex::default() }
    }

    /// The outdated documents after this one, by id.
    fn outdated(&self, after: Option<DocumentId>, limit: u32) -> OutdatedQuery {
        OutdatedQuery {
            after,
            missing_text: self.embedder.is_some(),
            model: self.embedder.as_ref().map(|embedder| embedder.model().to_owned()),
            limit,
        }
    }

    /// How many documents are outdated.
    async fn count(&self) -> PortResult<u64> {
        let (mut count, mut after) = (0, None);
        loop {
            let outdated = self.store.search.outdated(&self.outdated(after, MAX_COUNTED)).await?;
            count += outdated.len() as u64;
            match outdated.last() {
                Some(last) if outdated.len() == MAX_COUNTED as usize => after = Some(last.id),
                _ => return Ok(count),
            }
        }
    }

    /// A permit for the next document, as soon as the lane is not paused. None if `stop` is cancelled before.
    async fn permit(&self, stop: &CancellationToken) -> Option<LanePermit> {
        while !stop.is_cancelled() {
            if let Ok(permit) = self.lanes.try_acquire(&LaneName::indexing()).await {
                return Some(permit);
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSED_POLL) => {}
                () = stop.cancelled() => {}
            }
        }
        None
    }

    /// Prepares the search among vectors, and says so if this database has none. Returns whether that is done.
    async fn prepare(&self) -> bool {
        let Some(embedder) = &self.embedder else { return true };
        let texts = vec!["Quire".to_owned()];
        let probe = EmbedRequest { context: CallContext::default(), texts, deadline: None };
        let dimension = match embedder.embed(probe).await {
            Ok(vectors) => vectors.first().map_or(0, Vec::len),
            Err(error) => {
                tracing::warn!(
                    code = error.kind.as_str(),
                    "search: the embedding model does not answer, will retry"
                );
                return false;
            }
        };
        match self.store.search.prepare_vectors(dimension).await {
            Ok(true) => true,
            Ok(false) => {
                tracing::warn!(
                    "search: the database has no extension pgvector, so documents are found by words alone"
                );
                true
            }
            Err(error) => {
                tracing::warn!(%error, "search: the index of vectors could not be made, will retry");
                false
            }
        }
    }

    /// Indexes all outdated documents, or as many as there are until `stop` is cancelled. A document that cannot be indexed does
    /// not keep the others from it, and is not tried again before its time.
    pub async fn run(&self, stop: &CancellationToken) -> PortResult<IndexReport> {
        let mut report = IndexReport::default();
        let mut in_a_row = InARow::default();
        let mut after: Option<DocumentId> = None;
        let mut left = self.count().await?;
        loop {
            report_left(left);
            // The lane may have been paused by another process, or before this one began.
            self.lanes.read().await?;
            let outdated = self.store.search.outdated(&self.outdated(after, BATCH)).await?;
            let Some(last) = outdated.last() else { break };
            after = Some(last.id);
            for document in outdated {
                let Some(_permit) = self.permit(stop).await else { return Ok(report) };
                if self.is_due(document) {
                    self.index(document, &mut report, &mut in_a_row).await?;
                    tokio::time::sleep(DOCUMENT_PAUSE).await;
                }
                left = left.saturating_sub(1);
            }
            tracing::info!(indexed = report.indexed, left, "search: indexing documents");
        }
        report.failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).len() as u64;
        Ok(report)
    }

    /// Tries the failed documents again whose time has come. Those that have another run by now are done.
    async fn run_failed(&self, stop: &CancellationToken) -> PortResult<IndexReport> {
        let (mut report, mut in_a_row) = (IndexReport::default(), InARow::default());
        let failed: Vec<OutdatedDocument> = {
            let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.values().map(|failed| failed.document).collect()
        };
        for document in failed.into_iter().filter(|document| self.is_due(*document)) {
            if stop.is_cancelled() {
                break;
            }
            self.index(document, &mut report, &mut in_a_row).await?;
        }
        report.failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).len() as u64;
        Ok(report)
    }

    fn is_due(&self, document: OutdatedDocument) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed
            .get(&document.id)
            .is_none_or(|failed| failed.document != document || failed.due <= Instant::now())
    }

    /// When the next failed document is to be tried again.
    fn next_due(&self) -> Option<Instant> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.values().map(|failed| failed.due).min()
    }

    fn record_failure(&self, document: OutdatedDocument) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let tries = failed.get(&document.id).map_or(0, |failed| failed.tries) + 1;
        let due = Instant::now() + delay(tries);
        failed.insert(document.id, FailedDocument { document, tries, due });
    }

    /// Indexes a document. Fails if so many could not be indexed that it is not because of them.
    async fn index(
        &self,
        document: OutdatedDocument,
        report: &mut IndexReport,
        in_a_row: &mut InARow,
    ) -> PortResult<()> {
        match self.try_index(document, report).await {
            Ok(()) => {
                *in_a_row = InARow::default();
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).remove(&document.id);
            }
            Err(IndexError::Refused(reason)) => {
                tracing::warn!(document_id = %document.id, reason, "search: the model refuses a document, will retry later");
                self.record_failure(document);
                in_a_row.refusals += 1;
                if in_a_row.refusals == REFUSALS_IN_A_ROW {
                    return Err(unavailable(reason));
                }
            }
            Err(IndexError::Unavailable(error)) => {
                in_a_row.failures += 1;
                if in_a_row.failures == FAILURES_IN_A_ROW {
                    return Err(error);
                }
                tracing::warn!(document_id = %document.id, %error, "search: a document could not be indexed, will retry later");
                self.record_failure(document);
            }
        }
        Ok(())
    }

    async fn try_index(
        &self,
        document: OutdatedDocument,
        report: &mut IndexReport,
    ) -> Result<(), IndexError> {
        let (text, refusal) = self.text(document).await?;
        if self.store.search.reindex(document, text.as_ref()).await? {
            report.indexed += u64::from(refusal.is_none());
            let is_lost = text.is_some_and(|text| text.chunks.is_empty());
            report.without_text += u64::from(is_lost);
        }
        refusal.map_or(Ok(()), |reason| Err(IndexError::Refused(reason)))
    }

    /// The text of a document, without vectors if the model refuses it for this reason. Pages that are lost are an empty text, so that
    /// they are not looked for again.
    async fn text(&self, document: OutdatedDocument) -> PortResult<(Option<IndexedText>, Option<String>)> {
        let (Some(run), Some(embedder)) = (document.run, &self.embedder) else { return Ok((None, None)) };
        let code = FailureType::EmbeddingFailed.as_str();
        let pages = match load_pages(&*self.store.run_reader, &*self.blobs, run, code).await {
            Ok(pages) => pages,
            Err(failure) if failure.kind == FailureKind::Permanent => {
                let model = Some(embedder.model().to_owned());
                return Ok((Some(IndexedText { model, ..IndexedText::default() }), None));
            }
            Err(failure) => return Err(unavailable(failure.message)),
        };
        let cut = tokio::task::spawn_blocking(move || indexed_text(&pages.reading, pages.language)).await;
        let mut text = cut.map_err(|_| unavailable("the text cannot be cut into chunks".to_owned()))?;
        let words_alone = text.clone();
        let context = CallContext { subject: Some(document.id.into()), ..CallContext::default() };
        match add_vectors(&mut text, &**embedder, context, None).await {
            Ok(()) => Ok((Some(text), None)),
            Err(error) if matches!(error.kind, ModelErrorKind::Refused | ModelErrorKind::AnswerInvalid) => {
                Ok((Some(words_alone), Some(error.message)))
            }
            Err(error) => Err(unavailable(error.message)),
        }
    }
}

/// Reports how many documents are still to be indexed.
#[allow(clippy::cast_precision_loss)] // A number of documents.
fn report_left(left: u64) {
    metrics::gauge!("quire_indexing_left").set(left as f64);
}

/// Documents in a row that were not indexed.
#[derive(Default)]
struct InARow {
    failures: u32,
    refusals: u32,
}

/// The pause after so many tries.
fn delay(tries: u32) -> Duration {
    let doublings = tries.saturating_sub(1).min(16);
    (BASE_RETRY_DELAY * 2u32.pow(doublings)).min(MAX_RETRY)
}

/// Indexes outdated documents once, whatever it takes, until `stop` is cancelled.
pub async fn index_outdated(indexer: Indexer, stop: CancellationToken) {
    let mut tries = 0;
    let mut is_prepared = false;
    let mut is_complete = false;
    let mut turn: Option<IndexingLock> = None;
    loop {
        if turn.is_none() {
            turn = indexer.store.search.indexing_lock().await.unwrap_or_default();
        }
        let next = if turn.is_none() {
            Some(Instant::now() + BASE_RETRY_DELAY)
        } else {
            is_prepared = is_prepared || indexer.prepare().await;
            let outcome =
                if is_complete { indexer.run_failed(&stop).await } else { indexer.run(&stop).await };
            match outcome {
                Ok(report) => {
                    is_complete = true;
                    tell(report);
                }
                Err(ref error) => tracing::warn!(%error, "search: indexing documents failed, will retry"),
            }
            let is_done = outcome.is_ok() && is_prepared;
            tries = if is_done { 0 } else { tries + 1 };
            if is_done { indexer.next_due() } else { Some(Instant::now() + delay(tries)) }
        };
        let Some(next) = next else { return };
        tokio::select! {
            () = tokio::time::sleep_until(next) => {}
            () = stop.cancelled() => return,
        }
    }
}

fn tell(report: IndexReport) {
    if report.indexed > 0 || report.failed > 0 {
        tracing::info!(
            indexed = report.indexed,
            without_text = report.without_text,
            failed = report.failed,
            "search: indexing of older documents ended"
        );
    }
}

#[cfg(test)]
#[path = "indexer_tests.rs"]
mod tests;
