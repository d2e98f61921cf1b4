//! The pure parts of search: how a text becomes words and chunks, how a query is read, and how hits are shown.
//!
//! Both stores index what [`words`] returns, so that they find the same documents for the same query.

mod boxes;
mod chunks;
mod filter;
mod fusion;
mod hash;
mod hashed;
mod query;
mod rating;
mod signature;
mod snippet;
mod spelling;
mod stems;
mod values;
mod words;

pub use boxes::{decode_boxes, encode_boxes};
pub use chunks::{Chunk, MAX_CHUNK_CHARS, PlacedWord, chunks};
pub use filter::{Bounds, Condition, Filter};
pub use fusion::{RankedList, fuse};
pub use hashed::{HASHED_DIMENSION, hashed_vector, mean_vector};
pub use query::{
    MAX_PHRASE_WORDS, MAX_PREFIXES, MAX_QUERY_CHARS, MAX_QUERY_TERMS, Query, QueryError, Term, parse_query,
};
pub use rating::{Fit, FittingChunk, rarity, rate};
pub use signature::{SIGNATURE_LENGTH, bands, decode_signature, encode_signature, resemblance, signature};
pub use snippet::{Hit, Snippet, hits, snippet};
pub use spelling::{Spelling, distance_within, trigrams};
pub use stems::{STEM_LANGUAGES, is_stop_word, stem};
pub use values::values_text;
pub use words::{MAX_WORD_CHARS, SearchWord, for_each_word, is_vocabulary_word, tokenize, words};
// The benchmarks still use this name.
