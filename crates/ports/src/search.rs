//! The search index: the words of documents, and the queries on them.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{DocumentId, DocumentStatus, ReviewStatus, RunId};
use quire_understanding::search::{Bounds, Condition, Term};

use crate::{DocumentCursor, PortResult};

/// The text of a document as the index stores it, with the completion of its run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexedText {
    /// Its language as ISO 639-1, if it is known.
    pub language: Option<String>,
    /// Its chunks, in reading order.
    pub chunks: Vec<IndexedChunk>,
    /// The words of the chunks for which other forms and slips are found.
    pub terms: Vec<IndexedTerm>,
    /// The model of the vectors. None if the chunks have no vectors.
    pub model: Option<String>,
    /// The vector of the whole document.
    pub embedding: Option<Vec<f32>>,
    /// The signature of the text, by which documents are found that have most of it. Empty if the text is too short.
    pub signature: Vec<u32>,
}

/// A chunk of a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexedChunk {
    /// The page, from 1.
    pub page: u32,
    /// The text that a result shows.
    pub text: String,
    /// The folded words of the text, separated by spaces.
    pub words: String,
    /// Where the words stand on the page, encoded.
    pub boxes: Vec<u8>,
    /// Its vector, of length 1.
    pub vector: Option<Vec<f32>>,
}

/// A word of the index.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IndexedTerm {
    /// The folded word.
    pub term: String,
    /// Its stem in the language of the text.
    pub stem: String,
}

/// The chunk of a document that holds its file name.
pub const NAME_CHUNK: u32 = 0;
/// The chunk of a document that holds the values of its fields.
pub const VALUES_CHUNK: u32 = 1;
/// The first chunk of a document's text.
pub const FIRST_TEXT_CHUNK: u32 = 2;
/// How much more a chunk says about its document than a part of the text does: its name and its values say more.
pub fn importance_of_chunk(position: u32) -> f64 {
    match position {
        NAME_CHUNK => 1.4,
        VALUES_CHUNK => 1.2,
        _ => 1.0,
    }
}

/// Chunks of one document at most. Later ones are not indexed.
pub const MAX_CHUNKS: usize = 65_000;

/// A word of a query, to be looked up among the words of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VocabularyQuery {
    /// The folded word.
    pub word: String,
    /// Its stem in each language.
    pub stems: Vec<(String, String)>,
    /// How misspelt words are found, if the word can be guessed at.
    pub similar: Option<SimilarWords>,
}

/// Which words are like another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimilarWords {
    /// Trigrams of the word.
    pub trigrams: Vec<String>,
    /// How many of them another word must have.
    pub common: usize,
    /// The lengths that the other word may have, in characters.
    pub lengths: (usize, usize),
}

/// What the index knows about a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VocabularyEntry {
    /// Whether a document contains it.
    pub is_known: bool,
    /// Words with the same stem in the language of their document, at most 24.
    pub forms: Vec<String>,
    /// Words like it, most like first, at most 40. Looked for only if neither the word nor a form of it is known, and for at
    /// most [`MAX_GUESSED`] words of a query.
    pub similar: Vec<String>,
}

/// The words of a query for which similar ones are looked for at most.
pub const MAX_GUESSED: usize = 6;

/// A condition on a document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentCondition {
    /// What is compared.
    pub property: DocumentProperty,
    /// Whether documents that fulfil the condition are left out.
    pub is_negated: bool,
}

/// A property of a document and what it must be.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentProperty {
    /// The processing status.
    Status(DocumentStatus),
    /// The review status.
    Review(ReviewStatus),
    /// The name of its schema.
    Schema(String),
    /// Its language, as ISO 639-1.
    Language(String),
    /// Whether it is hidden. A query without this condition finds documents that are not hidden.
    Hidden,
    /// When it was uploaded: from a time on and before another.
    Uploaded(Bounds<Timestamp>),
    /// A field.
    Field {
        /// The key.
        key: String,
        /// What one of its values must be.
        condition: Condition,
    },
}

/// Which words documents must and must not contain. Each term is given with everything that counts as it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextQuery {
    /// The terms that are asked for.
    pub terms: Vec<Vec<Term>>,
    /// Whether one of the terms is enough.
    pub any: bool,
    /// The terms that a document must not contain.
    pub excluded: Vec<Vec<Term>>,
}

/// The order of found documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundOrder {
    /// Those whose words fit best first.
    Best,
    /// The newest first, after this document.
    Newest(Option<DocumentCursor>),
}

/// A query on the index.
#[derive(Clone, Debug, PartialEq)]
pub struct FindQuery {
    /// The words.
    pub text: TextQuery,
    /// The other conditions; all must hold.
    pub conditions: Vec<DocumentCondition>,
    /// Only these documents, if given.
    pub among: Option<Vec<DocumentId>>,
    /// The order.
    pub order: FoundOrder,
    /// The most documents to return.
    pub limit: u32,
    /// Counting stops at this number, which is at most [`FoundDocuments::MAX_COUNT`].
    pub count_limit: u32,
}

/// A document that a query found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundDocument {
    /// The document.
    pub id: DocumentId,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Its chunk that fits best. None without words in the query.
    pub chunk: Option<u32>,
    /// How well it fits: by its words, or by its rank among words and vectors. Comparable within one answer only.
    pub score: f64,
    /// The name of its schema.
    pub schema: String,
    /// Its language, if it is known.
    pub language: Option<String>,
    /// Whether it was reviewed.
    pub review: ReviewStatus,
    /// Its processing status.
    pub status: DocumentStatus,
}

/// The answer to a query on the index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundDocuments {
    /// The documents, in the order of the query.
    pub documents: Vec<FoundDocument>,
    /// How many documents fulfil the query. Counting stops at [`FindQuery::count_limit`].
    pub total: u32,
    /// Whether more documents may fulfil it: there are more than are counted, or its words are in so many chunks that not all
    /// of these were looked at.
    pub is_lower_bound: bool,
}

impl FoundDocuments {
    /// Found documents are counted up to here.
    pub const MAX_COUNT: u32 = 10_000;
}

/// A chunk of a document as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChunk {
    /// The document.
    pub document: DocumentId,
    /// Its place in the document: [`NAME_CHUNK`], [`VALUES_CHUNK`] or a part of its text.
    pub position: u32,
    /// The page, from 1. None for the name and the values.
    pub page: Option<u32>,
    /// Its text.
    pub text: String,
    /// Where its words stand on the page, encoded.
    pub boxes: Vec<u8>,
}

/// How often a value of a field occurs among documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFacet {
    /// The key.
    pub key: String,
    /// The value.
    pub value: String,
    /// The number of documents.
    pub count: u32,
}

/// A document whose index entry is not that of its latest completed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutdatedDocument {
    /// The document.
    pub id: DocumentId,
    /// Its latest completed run, if it has one.
    pub run: Option<RunId>,
}

/// Which entries are outdated: those of documents whose latest completed run is another one, and these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutdatedQuery {
    /// Look after this document, by id.
    pub after: Option<DocumentId>,
    /// Entries without a text.
    pub missing_text: bool,
    /// Entries whose vectors are not of this model.
    pub model: Option<String>,
    /// The most documents to return.
    pub limit: u32,
}

/// A search for near vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestQuery {
    /// The model of the vectors.
    pub model: String,
    /// The vector to be near to, of length 1.
    pub vector: Vec<f32>,
    /// Only chunks of these documents, if given.
    pub among: Option<Vec<DocumentId>>,
    /// The most chunks to return.
    pub limit: u32,
}

/// A chunk whose vector is near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearChunk {
    /// The document.
    pub document: DocumentId,
    /// The chunk.
    pub position: u32,
    /// The cosine of the angle between the vectors: 1 if they are the same.
    pub similarity: f64,
}

/// What tells which other documents are like one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fingerprint {
    /// The signature of its text. Empty if it has none.
    pub signature: Vec<u32>,
    /// The model of its vector.
    pub model: Option<String>,
    /// The vector of the whole document.
    pub embedding: Option<Vec<f32>>,
}

/// The right to index outdated documents. It ends when this is dropped.
pub struct IndexingLock {
    /// What the store holds meanwhile.
    pub held: Box<dyn Send + Sync>,
}

/// The search index of a store. Names, values and texts enter it with the transactions that store them.
#[async_trait]
pub trait SearchIndex: Send + Sync {
    /// What the index knows about words, in the same order.
    async fn vocabulary(&self, words: &[VocabularyQuery]) -> PortResult<Vec<VocabularyEntry>>;

    /// The documents that fulfil a query. The work and its time are bounded: of a word that very many chunks have, not all of these
    /// are looked at. A word that few chunks have is always found.
    async fn find(&self, query: &FindQuery) -> PortResult<FoundDocuments>;

    /// These chunks of documents, in any order. Chunks that no longer exist are left out.
    async fn chunks(&self, places: &[(DocumentId, u32)]) -> PortResult<Vec<StoredChunk>>;

    /// All chunks of a document, in order.
    async fn chunks_of(&self, document: DocumentId) -> PortResult<Vec<StoredChunk>>;

    /// The values that the fields of these documents have most often: of each key that has short texts, at most `most`.
    async fn field_facets(&self, documents: &[DocumentId], most: u32) -> PortResult<Vec<FieldFacet>>;

    /// The keys of all fields that documents have, at most 1,000.
    async fn field_keys(&self) -> PortResult<Vec<String>>;

    /// Documents whose entry is outdated, by id.
    async fn outdated(&self, query: &OutdatedQuery) -> PortResult<Vec<OutdatedDocument>>;

    /// The chunks whose vectors are nearest, nearest first. None if this database cannot find them.
    async fn nearest(&self, query: &NearestQuery) -> PortResult<Option<Vec<NearChunk>>>;

    /// What the index knows of a document to compare it with others. None if it is not in the index.
    async fn fingerprint(&self, document: DocumentId) -> PortResult<Option<Fingerprint>>;

    /// Other documents with their signatures that share a band with the signature of this one, those with most bands first. Of a
    /// band that very many documents have, the newest ones are looked at.
    async fn sharing_bands(
        &self,
        document: DocumentId,
        limit: u32,
    ) -> PortResult<Vec<(DocumentId, Vec<u32>)>>;

    /// The right to index outdated documents, which one process of an installation has at a time. None if another one has it.
    async fn indexing_lock(&self) -> PortResult<Option<IndexingLock>>;

    /// Prepares the search among vectors of this dimension. Returns whether this database can find them.
    async fn prepare_vectors(&self, dimension: usize) -> PortResult<bool>;

    /// Writes the entry of a document again, if this is still its latest completed run. Returns whether it was.
    async fn reindex(&self, document: OutdatedDocument, text: Option<&IndexedText>) -> PortResult<bool>;
}
