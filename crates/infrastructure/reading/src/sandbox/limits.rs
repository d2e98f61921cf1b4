//! The limits of a parser process.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a parser may use for one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParserLimits {
    /// Bytes of address space.
    pub memory: u64,
    /// Time per document, both wall clock and CPU.
    pub time: Duration,
    /// Bytes of a document file.
    pub file: u64,
    /// Bytes of all responses to one request.
    pub answer: u64,
    /// Pages of a document.
    pub pages: usize,
    /// Words of a document. The server keeps about a hundred bytes for each.
    pub words: usize,
    /// Documents after which a parser is replaced, so that memory leaks do not accumulate.
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
