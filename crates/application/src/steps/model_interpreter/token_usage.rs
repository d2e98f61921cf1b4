//! The tokens used for a document.

use quire_ports::ModelResponse;

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

    pub(super) fn add(&mut self, response: &ModelResponse) {
        self.tokens_in = self.tokens_in.saturating_add(response.tokens_in);
        self.tokens_out = self.tokens_out.saturating_add(response.tokens_out);
        self.cost = response.cost.map(|cost| self.cost.unwrap_or_default() + cost).or(self.cost);
        self.model = Some(response.model.clone());
    }
}
