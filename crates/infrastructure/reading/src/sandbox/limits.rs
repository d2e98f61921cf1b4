//! How much a parser may use before it is ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How much a parser may use for one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParserLimits {
    /// Bytes of address space.
    pub memory: u64,
    /// How long a document may take, by the clock and by the processor.
    pub time: Duration,
    /// Bytes of a document.
    pub file: u64,
    /// Bytes of an answer in all.
    pub answer: u64,
    /// Pages of a document.
    pub pages: usize,
    /// Words of a document: what the server has to hold of it, at some hundred bytes each.
    pub words: usize,
    /// Documents after which a parser is replaced, so that what it leaks or hoards does not pile up.
    pub documents: u32,
}

impl Default for ParserLimits {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            time: Duration::from_mins(1),
            file: 64 << 20,
            answer: 128 << 20,
            pages: 5000,
            words: 500_000,
            documents: 100,
        }
    }
}
