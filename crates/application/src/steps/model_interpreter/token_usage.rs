//! The tokens used for a document. They count however its step ends.

use super::ModelInterpreter;

/// The tokens used for a document so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenUsage {
    /// Whether a request was sent.
    pub was_sent: bool,
    pub model: Option<String>,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// The cost of the requests whose cost is known.
    pub cost: Option<f64>,
}

impl TokenUsage {
    pub(super) fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

/// Counts the tokens of a step as unrecorded when it is dropped, unless a version has recorded them. That happens when the step
/// fails or is cancelled.
pub(super) struct UsageGuard<'m> {
    interpreter: &'m ModelInterpreter,
    pub usage: TokenUsage,
    is_recorded: bool,
}

impl<'m> UsageGuard<'m> {
    pub(super) fn new(interpreter: &'m ModelInterpreter) -> Self {
        Self { interpreter, usage: TokenUsage::default(), is_recorded: false }
    }

    /// A version records the tokens.
    pub(super) fn recorded(mut self) {
        self.is_recorded = true;
    }
}

impl Drop for UsageGuard<'_> {
    fn drop(&mut self) {
        if !self.is_recorded && self.usage.tokens() > 0 {
            self.interpreter.unrecorded.add(self.usage.tokens(), self.interpreter.clock.now());
        }
    }
}
