//! What operations have cost, recorded once for each of them. The budget of the day counts these records.

use jiff::Timestamp;
use quire_domain::ModelCallId;
use quire_ports::{CallContext, ModelCall, StepContext};

use super::operation::{StoredSubmission, SubmittedOperation};
use super::{DocumentIntelligenceReader, MODEL, SubmittedFile};

/// The outcome of an operation that the service has forgotten.
pub(super) const VANISHED: &str = "VANISHED";
/// The outcome of a submission of which nobody knows whether it was accepted.
pub(super) const UNKNOWN_OUTCOME: &str = "UNKNOWN_OUTCOME";

/// An operation to record.
pub(super) struct RecordedOperation<'o> {
    /// The same for everybody who records it.
    id: ModelCallId,
    submitted_at: Timestamp,
    outcome: &'o str,
    cost: Option<f64>,
}

impl<'o> RecordedOperation<'o> {
    pub(super) fn of(operation: &SubmittedOperation, outcome: &'o str, cost: Option<f64>) -> Self {
        let id = operation.id().map_or_else(ModelCallId::new, ModelCallId);
        Self { id, submitted_at: operation.submitted_at, outcome, cost }
    }
}

impl DocumentIntelligenceReader {
    /// The price of so many pages. A file of which this machine cannot tell the pages has at least one.
    pub(super) fn cost_of(&self, pages: Option<usize>) -> Option<f64> {
        self.options.price_per_page.map(|price| price * as_number(pages.unwrap_or(1)))
    }

    /// Records a submission that may have been accepted, and so may have to be paid.
    pub(super) async fn record_unknown_outcome(
        &self,
        context: &StepContext,
        begun: &StoredSubmission,
        file: &SubmittedFile,
    ) {
        let (id, cost) = (ModelCallId(begun.id.0), self.cost_of(file.pages));
        let recorded = RecordedOperation { id, submitted_at: begun.at, outcome: UNKNOWN_OUTCOME, cost };
        self.record(context, recorded).await;
    }

    /// Records an operation that has ended. It is recorded once, whichever process polls it.
    pub(super) async fn record(&self, context: &StepContext, operation: RecordedOperation<'_>) {
        let RecordedOperation { id, submitted_at, outcome, cost } = operation;
        let call_context = CallContext::from(context);
        let now = self.clock.now();
        let call = ModelCall {
            id,
            run_id: call_context.run_id,
            step: call_context.step,
            step_attempt: call_context.step_attempt,
            credential: call_context.credential,
            model: MODEL.to_owned(),
            tokens_in: 0,
            tokens_out: 0,
            cost,
            latency: now.duration_since(submitted_at).try_into().unwrap_or_default(),
            outcome: outcome.to_owned(),
            created_at: now,
        };
        metrics::counter!("quire_document_intelligence_operations_total", "outcome" => outcome.to_owned())
            .increment(1);
        if let Err(error) = self.calls.record(std::slice::from_ref(&call)).await {
            tracing::warn!(%error, "Document Intelligence: the cost of an operation could not be recorded");
        }
    }
}

#[allow(clippy::cast_precision_loss)] // Documents have few pages.
fn as_number(count: usize) -> f64 {
    count as f64
}
