//! The entry of a document in the index: its name, its values and its text.

use std::collections::BTreeSet;

use quire_ports::{FIRST_TEXT_CHUNK, IndexedTerm, IndexedText, MAX_CHUNKS, NAME_CHUNK, VALUES_CHUNK};
use quire_understanding::search::{is_vocabulary_word, stem, tokenize};

/// A row of chunks.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct ChunkColumns {
    pub position: u32,
    pub page: Option<u32>,
    pub text: String,
    /// The folded words, separated by spaces.
    pub words: String,
    pub boxes: Vec<u8>,
    pub vector: Option<Vec<f32>>,
}

/// Chunks to store, and the words that enter the vocabulary with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexEntry {
    /// The chunks.
    pub chunks: Vec<ChunkColumns>,
    /// The language of their words; empty if it is not known.
    pub language: String,
    /// The words of the vocabulary, each once.
    pub terms: Vec<IndexedTerm>,
    /// The model of the chunks' vectors.
    pub model: Option<String>,
}

impl IndexEntry {
    /// The name of a document's file.
    pub fn of_name(file_name: &str) -> Self {
        Self::of_text(NAME_CHUNK, file_name.to_owned(), None)
    }

    /// The values of a document's fields. Empty if it has none.
    pub fn of_values(values: String, language: Option<&str>) -> Self {
        Self::of_text(VALUES_CHUNK, values, language)
    }

    fn of_text(position: u32, text: String, language: Option<&str>) -> Self {
        let words = tokenize(&text);
        if words.is_empty() {
            return Self::default();
        }
        let distinct: BTreeSet<&String> = words.iter().filter(|word| is_vocabulary_word(word)).collect();
        let terms = distinct.into_iter();
        let terms =
            terms.map(|term| IndexedTerm { term: term.clone(), stem: stem(term, language) }).collect();
        let words = words.join(" ");
        let chunk = ChunkColumns { position, page: None, text, words, boxes: Vec::new(), vector: None };
        Self { chunks: vec![chunk], language: language.unwrap_or_default().to_owned(), terms, model: None }
    }
}

/// The entry of a text.
pub fn text_chunks(text: &IndexedText) -> IndexEntry {
    let chunks = text.chunks.iter().take(MAX_CHUNKS).zip(FIRST_TEXT_CHUNK..);
    let chunks = chunks.map(|(chunk, position)| ChunkColumns {
        position,
        page: Some(chunk.page),
        text: chunk.text.clone(),
        words: chunk.words.clone(),
        boxes: chunk.boxes.clone(),
        vector: chunk.vector.clone(),
    });
    IndexEntry {
        chunks: chunks.collect(),
        language: text.language.clone().unwrap_or_default(),
        terms: text.terms.clone(),
        model: text.model.clone(),
    }
}
