//! Reads a document with Document Intelligence: submits its file, stores the address of the operation, and polls it.
//!
//! The service charges for a file from the moment it accepts it. So the address of the operation is stored, under the fence of
//! the run, before it is polled, and every later attempt polls the same operation. Only a worker that dies between the
//! acceptance and that write, or a response that gets lost, can make Quire pay twice; the submission is recorded before
//! it is made, so that this is noticed, counted and paid from the budget of the day.

mod budget;
mod operation;
mod recorded_cost;

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::reading::{AnalysedDocument, FileKind};
use quire_domain::{Failure, LaneName};
use quire_ports::{
    AcceptedOperation, AnalysisError, AnalysisErrorKind, AnalysisRequest, Clock, DocumentAnalyser,
    MODEL_CALL_OK, ModelCalls, OperationState, RunQueue, RunReader, StepContext, missing_page,
};

use self::operation::{OperationRecords, StoredSubmission, Submission, SubmittedOperation};
use self::recorded_cost::{RecordedOperation, VANISHED};
use crate::lanes::{LaneCall, LanePermits};

/// The name of the service among the models of the recorded calls.
const MODEL: &str = "document-intelligence";

/// How Document Intelligence is used.
#[derive(Clone, Copy, Debug)]
pub struct DocumentIntelligenceOptions {
    /// The longest time in which a run waits for an operation and keeps its slot.
    pub wait_in_slot: Duration,
    /// The longest time of an operation. A longer one counts as failed.
    pub max_wait: SignedDuration,
    /// The price of a page, if it is set.
    pub price_per_page: Option<f64>,
    /// The cost that a day may have. 0 means no limit.
    pub max_cost_per_day: f64,
    /// Whether the local reader reads what the service cannot read.
    pub fallback: bool,
    /// How many attempts the step has.
    pub max_attempts: u32,
}

/// Reads documents with Document Intelligence.
pub struct DocumentIntelligenceReader {
    /// The service.
    pub analyser: Arc<dyn DocumentAnalyser>,
    /// Stores the operations.
    pub queue: Arc<dyn RunQueue>,
    /// Has the stored operations.
    pub history: Arc<dyn RunReader>,
    /// Records what an operation cost.
    pub calls: Arc<dyn ModelCalls>,
    /// The clock of the store.
    pub clock: Arc<dyn Clock>,
    /// The permits that all steps of the process share.
    pub lanes: Arc<LanePermits>,
    /// How it is used.
    pub options: DocumentIntelligenceOptions,
}

/// A file that the service is to read.
#[derive(Clone)]
pub(super) struct SubmittedFile {
    pub(super) file: Arc<[u8]>,
    pub(super) kind: FileKind,
    /// How many pages it has, if this machine can tell.
    pub(super) pages: Option<usize>,
}

/// A document that was read, and what it cost.
pub(super) struct ReadDocument {
    pub(super) document: AnalysedDocument,
    pub(super) cost: Option<f64>,
}

/// How an operation ended.
enum Ended {
    Succeeded(Box<AnalysedDocument>),
    /// The service has forgotten it.
    Vanished,
}

impl DocumentIntelligenceReader {
    /// Whether the local reader reads the document after this failure.
    pub(super) fn falls_back(&self, context: &StepContext, failure: &Failure) -> bool {
        let is_wait = matches!(
            failure.kind,
            quire_domain::FailureKind::Waiting { .. }
                | quire_domain::FailureKind::RateLimited { .. }
                | quire_domain::FailureKind::Postponed { .. }
        );
        let is_last = context.attempt >= self.options.max_attempts || !failure.kind.is_retryable();
        self.options.fallback && !is_wait && is_last
    }

    /// Reads a file. An operation that an earlier attempt has submitted is polled, and not submitted again.
    pub(super) async fn read(
        &self,
        context: &StepContext,
        file: &SubmittedFile,
    ) -> Result<ReadDocument, Failure> {
        let records = self.records(context);
        let mut operation = match records.last().await? {
            Some(StoredSubmission { submission: Submission::Accepted(operation), .. }) => Some(operation),
            Some(begun @ StoredSubmission { submission: Submission::Begun, .. }) => {
                self.end_unknown(context, &records, &begun, file).await?;
                None
            }
            Some(StoredSubmission { submission: Submission::Over, .. }) | None => None,
        };
        let mut is_repeated = false;
        loop {
            let current = match operation.take() {
                Some(operation) => operation,
                None => self.submit(context, &records, file).await?,
            };
            match self.wait_for(context, &records, &current, file).await? {
                Ended::Succeeded(mut document) => {
                    let cost = self.cost_of(Some(document.reading.pages.len()));
                    self.record(context, RecordedOperation::of(&current, MODEL_CALL_OK, cost)).await;
                    add_missing_pages(&mut document, file.pages);
                    return Ok(ReadDocument { document: *document, cost });
                }
                Ended::Vanished => {
                    // It was accepted, so it is paid for.
                    let cost = self.cost_of(file.pages);
                    self.record(context, RecordedOperation::of(&current, VANISHED, cost)).await;
                    // No later attempt finds the same, if this one cannot submit the file again.
                    records.store(Submission::Over).await?;
                    count_submission("vanished");
                    if is_repeated {
                        let message = "Document Intelligence has lost the operation twice; try again later";
                        return Err(Failure::transient(AnalysisErrorKind::Unavailable.as_str(), message));
                    }
                    tracing::warn!(run_id = %context.run.id, "Document Intelligence: the operation has vanished, submitting again");
                    is_repeated = true;
                }
            }
        }
    }

    fn records<'a>(&'a self, context: &'a StepContext) -> OperationRecords<'a> {
        OperationRecords { queue: &*self.queue, history: &*self.history, clock: &*self.clock, context }
    }

    /// Submits a file and stores the address of its operation.
    async fn submit(
        &self,
        context: &StepContext,
        records: &OperationRecords<'_>,
        file: &SubmittedFile,
    ) -> Result<SubmittedOperation, Failure> {
        self.require_budget().await?;
        let call = self.begin_call().await?;
        let begun = records.store(Submission::Begun).await?;
        let time = context.deadline.time_left();
        let request = AnalysisRequest { file: file.file.clone(), kind: file.kind, time };
        let submitted = self.analyser.submit(request).await;
        let accepted = match submitted {
            Ok(AcceptedOperation { address, wait }) => {
                let submitted_at = self.clock.now();
                let poll_at = submitted_at.saturating_add(wait).unwrap_or(submitted_at);
                SubmittedOperation { address, submitted_at, poll_at: Some(poll_at) }
            }
            Err(error) => {
                if error.may_have_arrived {
                    // No later attempt may come to record it.
                    self.end_unknown(context, records, &begun, file).await?;
                } else {
                    records.store(Submission::Over).await?;
                }
                return Err(self.end_call(call, error).await);
            }
        };
        records.store(Submission::Accepted(accepted.clone())).await?;
        count_submission("accepted");
        call.end(None, "").await;
        Ok(accepted)
    }

    /// Records and counts a submission of which nobody knows whether it was accepted. No later attempt does so again.
    async fn end_unknown(
        &self,
        context: &StepContext,
        records: &OperationRecords<'_>,
        begun: &StoredSubmission,
        file: &SubmittedFile,
    ) -> Result<(), Failure> {
        self.record_unknown_outcome(context, begun, file).await;
        records.store(Submission::Over).await?;
        count_submission("unknown_outcome");
        tracing::warn!(
            run_id = %context.run.id,
            "Document Intelligence: a submission has no known outcome, the file may be paid for twice"
        );
        Ok(())
    }

    /// Polls an operation until it has ended. A long pause between two polls is spent in the queue.
    async fn wait_for(
        &self,
        context: &StepContext,
        records: &OperationRecords<'_>,
        operation: &SubmittedOperation,
        file: &SubmittedFile,
    ) -> Result<Ended, Failure> {
        let mut waited = Duration::ZERO;
        let mut next = operation.poll_at;
        loop {
            if let Some(at) = next {
                self.pause(at, &mut waited).await?;
            }
            let call = self.begin_call().await?;
            let polled = self.analyser.poll(&operation.address, context.deadline.time_left()).await;
            let state = match polled {
                Err(error) if error.is_vanished => {
                    call.end(None, "").await;
                    return Ok(Ended::Vanished);
                }
                Err(error) => {
                    if matches!(error.kind, AnalysisErrorKind::Failed | AnalysisErrorKind::AnswerInvalid) {
                        // The service charges for what it has read, also if the answer cannot be used.
                        let is_read = error.kind == AnalysisErrorKind::AnswerInvalid;
                        let cost = self.cost_of(file.pages).filter(|_| is_read);
                        let ended = RecordedOperation::of(operation, error.kind.as_str(), cost);
                        self.record(context, ended).await;
                        // Another attempt would find the same; it submits the file again.
                        records.store(Submission::Over).await?;
                    }
                    return Err(self.end_call(call, error).await);
                }
                Ok(state) => state,
            };
            call.end(None, "").await;
            let now = self.clock.now();
            match state {
                OperationState::Succeeded(document) => return Ok(Ended::Succeeded(document)),
                OperationState::Running { .. }
                    if now.duration_since(operation.submitted_at) > self.options.max_wait =>
                {
                    let message = "Document Intelligence has not read the document within document_intelligence.max_wait; \
                                   try again later, or raise it";
                    return Err(Failure::transient(AnalysisErrorKind::Unavailable.as_str(), message));
                }
                OperationState::Running { wait } => next = Some(now.saturating_add(wait).unwrap_or(now)),
            }
        }
    }

    /// Waits until that time, here or in the queue.
    async fn pause(&self, until: Timestamp, waited: &mut Duration) -> Result<(), Failure> {
        let pause = Duration::try_from(until.duration_since(self.clock.now())).unwrap_or_default();
        *waited += pause;
        if *waited > self.options.wait_in_slot {
            return Err(Failure::wait_until(until));
        }
        self.clock.sleep(pause).await;
        Ok(())
    }

    async fn begin_call(&self) -> Result<LaneCall, Failure> {
        let call = LaneCall::begin(&self.lanes, &LaneName::document_intelligence()).await;
        call.map_err(|busy| busy.into_failure(self.clock.now()))
    }

    /// Ends a call that failed. A rate limit closes the lane for as long as the service asked to wait.
    async fn end_call(&self, call: LaneCall, error: AnalysisError) -> Failure {
        call.end(error.retry_after, &error.message).await;
        let is_limited = error.retry_after.is_some();
        let failure = error.into_failure(self.clock.now());
        if is_limited { failure.in_lane(LaneName::document_intelligence()) } else { failure }
    }
}

/// Names the pages behind the last one of the result. The service leaves out those beyond its limits.
fn add_missing_pages(document: &mut AnalysedDocument, pages: Option<usize>) {
    let missing = pages.unwrap_or(0).saturating_sub(document.reading.pages.len());
    for _ in 0..missing {
        document.reading.pages.push(missing_page());
        document.analysis.word_confidence.push(Vec::new());
    }
}

fn count_submission(reason: &'static str) {
    metrics::counter!("quire_document_intelligence_submissions_total", "reason" => reason).increment(1);
}
