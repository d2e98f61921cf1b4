//! What both stores need to index texts and to find them: the words of an entry, the queries in the language of each full-text
//! index, and the conditions on documents.

mod conditions;
mod entry;
mod text_query;

pub use conditions::{Dialect, SqlBuilder, SqlValue};
pub use entry::{ChunkColumns, IndexEntry, text_chunks};
pub use text_query::{
    all_in_document_of_fts5, all_in_document_of_tsquery, any_in_document_of_fts5, any_in_document_of_tsquery,
    any_of_tsquery, has_phrase, term_of_fts5, term_of_tsquery, tsvector,
};

/// Documents of one band that are looked at, the newest ones. A band that more documents have is that of a form, and says
/// nothing about what is filled in.
pub const DOCUMENTS_OF_BAND: u32 = 500;
