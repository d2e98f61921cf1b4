//! What a search needs.

use std::sync::Arc;

use quire_ports::{Embedder, Store};

/// Searches the documents of a store.
#[derive(Clone)]
pub struct Searcher {
    pub(super) store: Store,
    pub(super) embedder: Option<Arc<dyn Embedder>>,
    pub(super) weights: SearchWeights,
}

/// How much each half of a search counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchWeights {
    /// The words.
    pub words: f64,
    /// The meaning.
    pub meaning: f64,
}

impl Default for SearchWeights {
    /// What the sets of `bench search` are ordered best by.
    fn default() -> Self {
        Self { words: 1.0, meaning: 0.7 }
    }
}

impl Searcher {
    /// Searches this store. Without an embedder, words alone are compared.
    pub fn new(store: Store, embedder: Option<Arc<dyn Embedder>>, weights: SearchWeights) -> Self {
        Self { store, embedder, weights }
    }

    /// Whether vectors take part in the order. Those that know nothing of meaning count words worse than the words are rated, so that
    /// they do not, unless the words count nothing.
    pub(super) fn compares_vectors(&self) -> bool {
        let is_lexical = self.embedder.as_ref().is_some_and(|embedder| embedder.is_lexical());
        self.weights.meaning > 0.0 && (!is_lexical || self.weights.words <= 0.0)
    }
}
