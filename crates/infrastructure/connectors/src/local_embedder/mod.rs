//! An embedding model on this machine: a folder in the layout of model2vec, which has a vector for each token. The vector of a
//! text is the mean of the vectors of its tokens, so a document takes milliseconds and nothing leaves the machine.

mod pieces;
mod tensors;
#[cfg(test)]
mod tests;
mod text_form;
mod tokenizer;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use quire_ports::{EmbedRequest, Embedder, ModelError, ModelErrorKind};
use sha2::{Digest as _, Sha256};

use self::tensors::{Tensor, Tensors};
use self::tokenizer::Tokenizer;

/// The files of the layout.
const TENSORS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";
/// The names that the table of vectors has.
const VECTORS: [&str; 3] = ["embeddings", "embedding.weight", "0"];
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 4 << 30;

/// A model in a folder.
pub struct LocalEmbedder {
    label: String,
    model: Arc<Model>,
}

/// Why a folder is no model. The messages complete the name of a setting.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocalModelError {
    /// A file cannot be read.
    #[error("must be a folder with a model in the layout of model2vec: {file} cannot be read ({reason})")]
    Unreadable {
        /// The file.
        file: &'static str,
        /// Why.
        reason: String,
    },
    /// A file is not what its name says, or is of a kind that is not supported.
    #[error("must be a folder with a model in the layout of model2vec: {file} {problem}")]
    Invalid {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

/// The vectors of tokens.
struct Model {
    tokenizer: Tokenizer,
    vectors: Tensor,
    /// How much each token counts, if tokens count differently.
    weights: Option<Tensor>,
    /// The row of each token, if several tokens share one.
    rows: Option<Tensor>,
}

impl LocalEmbedder {
    /// Loads the model of a folder. Its name is that of the folder, with the beginning of a hash of its files.
    pub fn open(folder: &Path) -> Result<Self, LocalModelError> {
        let (tensors, tokenizer) = (read(folder, TENSORS)?, read(folder, TOKENIZER)?);
        let mut hash = Sha256::new();
        hash.update(&tensors);
        hash.update(&tokenizer);
        let hash = quire_domain::hex(&hash.finalize()[..6]);
        let invalid = |file| move |problem: String| LocalModelError::Invalid { file, problem };
        let tokenizer = Tokenizer::parse(&tokenizer).map_err(invalid(TOKENIZER))?;
        let tensors = Tensors::parse(tensors).map_err(invalid(TENSORS))?;
        let vectors = VECTORS.iter().find_map(|name| tensors.get(name)).filter(|table| table.width() > 0);
        let vectors =
            vectors.ok_or_else(|| invalid(TENSORS)("has no table of vectors named embeddings".to_owned()))?;
        let model =
            Model { tokenizer, vectors, weights: tensors.get("weights"), rows: tensors.get("mapping") };
        let name = folder.file_name().map_or("model".into(), |name| name.to_string_lossy());
        Ok(Self { label: format!("{name}-{hash}"), model: Arc::new(model) })
    }

    /// Whether the folder has the files of a model, without loading it.
    pub fn check(folder: &Path) -> Result<(), LocalModelError> {
        for file in [TENSORS, TOKENIZER] {
            size(&folder.join(file)).map_err(|reason| LocalModelError::Unreadable { file, reason })?;
        }
        Ok(())
    }
}

fn size(path: &PathBuf) -> Result<u64, String> {
    let found = fs::metadata(path).map_err(|error| error.to_string())?;
    if !found.is_file() || found.len() > MAX_BYTES {
        return Err("it is no file, or it has more than 4 GB".to_owned());
    }
    Ok(found.len())
}

fn read(folder: &Path, file: &'static str) -> Result<Vec<u8>, LocalModelError> {
    let path = folder.join(file);
    let bytes = size(&path).and_then(|_| fs::read(&path).map_err(|error| error.to_string()));
    bytes.map_err(|reason| LocalModelError::Unreadable { file, reason })
}

impl Model {
    /// The vector of a text, of length 1. A text without known tokens is the zero vector.
    fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0f32; self.vectors.width()];
        for token in self.tokenizer.tokens(text) {
            let token = token as usize;
            let row = match &self.rows {
                Some(rows) => rows.index(token),
                None => Some(token),
            };
            let Some(row) = row.filter(|row| *row < self.vectors.height()) else { continue };
            let weight = self.weights.as_ref().and_then(|weights| weights.number(token)).unwrap_or(1.0);
            self.vectors.add_row(row, weight, &mut sum);
        }
        let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length > 0.0 && length.is_finite() {
            for number in &mut sum {
                *number /= length;
            }
        } else {
            sum.fill(0.0);
        }
        sum
    }
}

#[async_trait]
impl Embedder for LocalEmbedder {
    fn model(&self) -> &str {
        &self.label
    }

    fn is_lexical(&self) -> bool {
        false
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Vec<Vec<f32>>, ModelError> {
        let model = self.model.clone();
        // A long document takes a while, and requests must not wait for it.
        let vectors = tokio::task::spawn_blocking(move || {
            request.texts.iter().map(|text| model.vector(text)).collect::<Vec<_>>()
        });
        vectors.await.map_err(|_| {
            ModelError::new(ModelErrorKind::AnswerInvalid, "the embedding model on this machine failed")
        })
    }
}
