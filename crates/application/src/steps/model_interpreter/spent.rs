//! What was spent on a document, which is counted however its step ends.

use super::ModelInterpreter;

/// What was spent on a document so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Spent {
    /// Whether anybody was asked at all.
    pub is_asked: bool,
    pub model: Option<String>,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

impl Spent {
    pub(super) fn tokens(&self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }
}

/// What was spent, until a version tells of it. If none ever does, because the step failed or nobody waits for it any more,
/// the tokens are counted as lost.
pub(super) struct Untold<'m> {
    by: &'m ModelInterpreter,
    pub spent: Spent,
    is_told: bool,
}

impl<'m> Untold<'m> {
    pub(super) fn new(by: &'m ModelInterpreter) -> Self {
        Self { by, spent: Spent::default(), is_told: false }
    }

    /// A version tells of it from here on.
    pub(super) fn tell(mut self) {
        self.is_told = true;
    }
}

impl Drop for Untold<'_> {
    fn drop(&mut self) {
        if !self.is_told && self.spent.tokens() > 0 {
            self.by.lost.add(self.spent.tokens(), self.by.clock.now());
        }
    }
}
