//! The EMBEDDING step prepares the text of a document for search: it cuts it into chunks and gives each its vector. They enter
//! the search index in the transaction that completes the run.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::reading::Reading;
use quire_domain::{Failure, FailureType};
use quire_ports::{
    BlobStore, CallContext, Clock, Deadline, EmbedRequest, Embedder, IndexedChunk, IndexedTerm, IndexedText,
    ModelError, PortResult, RunReader, Step, StepContext, StepOutput,
};
use quire_understanding::search::{
    Chunk, chunks, encode_boxes, is_vocabulary_word, mean_vector, signature, stem, tokenize,
};

use super::kept_pages::{KeptPages, LoadedPages};
use super::run_pages::load_pages;

/// The code of failures without a code of their own.
const FAILED: &str = FailureType::EmbeddingFailed.as_str();
/// The type of the artifact that tells how a document was prepared for search.
const ARTIFACT: &str = "EMBEDDING";
/// Texts of one request for vectors.
const BATCH: usize = 64;

/// The EMBEDDING step.
pub struct EmbeddingStep {
    /// The artifacts of the run, which say where its pages are.
    pub history: Arc<dyn RunReader>,
    /// The files of the pages.
    pub blobs: Arc<dyn BlobStore>,
    /// Makes the vectors.
    pub embedder: Arc<dyn Embedder>,
    /// The clock of the store.
    pub clock: Arc<dyn Clock>,
    /// The pages that INTERPRETATION has read.
    pub kept_pages: Arc<KeptPages>,
}

#[async_trait]
impl Step for EmbeddingStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let pages = if let Some(kept) = self.kept_pages.take(&context.run) {
            kept
        } else {
            let loaded = load_pages(&*self.history, &*self.blobs, context.run.id, FAILED).await?;
            LoadedPages { reading: Arc::new(loaded.reading), language: loaded.language }
        };
        let cut = tokio::task::spawn_blocking(move || indexed_text(&pages.reading, pages.language)).await;
        let mut text = cut.map_err(|_| Failure::permanent(FAILED, "the text cannot be cut into chunks"))?;
        let deadline = Some(context.deadline.clone());
        let vectors = add_vectors(&mut text, &*self.embedder, CallContext::from(&context), deadline).await;
        vectors.map_err(|error| error.into_failure(self.clock.now()))?;
        let made = serde_json::json!({
            "model": text.model,
            "is_lexical": self.embedder.is_lexical(),
            "chunks": text.chunks.len(),
        });
        let artifacts = vec![(ARTIFACT.to_owned(), made.to_string())];
        Ok(StepOutput { artifacts, text: Some(text), ..StepOutput::default() })
    }

    /// Not ready while the storage cannot be used.
    async fn ready(&self) -> PortResult<()> {
        self.blobs.check().await
    }
}

/// The text of a document as the index stores it, without vectors.
pub(crate) fn indexed_text(reading: &Reading, language: Option<String>) -> IndexedText {
    let mut distinct = BTreeSet::new();
    let chunk = |chunk: Chunk| {
        let words = tokenize(&chunk.text);
        distinct.extend(words.iter().filter(|word| is_vocabulary_word(word)).cloned());
        IndexedChunk {
            page: chunk.page,
            words: words.join(" "),
            boxes: encode_boxes(&chunk.words),
            text: chunk.text,
            vector: None,
        }
    };
    let chunks: Vec<IndexedChunk> = chunks(reading).into_iter().map(chunk).collect();
    let signature = signature(chunks.iter().flat_map(|chunk| chunk.words.split(' ')));
    let term = |term: String| IndexedTerm { stem: stem(&term, language.as_deref()), term };
    let terms = distinct.into_iter().map(term).collect();
    IndexedText { language, chunks, terms, signature, ..IndexedText::default() }
}

/// Gives each chunk its vector, in batches, and the document the mean of them.
pub(crate) async fn add_vectors(
    text: &mut IndexedText,
    embedder: &dyn Embedder,
    context: CallContext,
    deadline: Option<Deadline>,
) -> Result<(), ModelError> {
    for batch in text.chunks.chunks_mut(BATCH) {
        let texts = batch.iter().map(|chunk| chunk.text.clone()).collect();
        let request = EmbedRequest { context: context.clone(), texts, deadline: deadline.clone() };
        let vectors = embedder.embed(request).await?;
        for (chunk, vector) in batch.iter_mut().zip(vectors) {
            chunk.vector = Some(vector);
        }
    }
    text.embedding = mean_vector(text.chunks.iter().filter_map(|chunk| chunk.vector.as_ref()));
    text.model = Some(embedder.model().to_owned());
    Ok(())
}
