//! The tokenizer of a model: `tokenizer.json` as the library `tokenizers` writes it, of the kinds that such models have.

use serde_json::Value;

use super::pieces::Pieces;
use super::text_form::TextForm;

pub(super) struct Tokenizer {
    form: TextForm,
    pieces: Pieces,
}

impl Tokenizer {
    pub(super) fn parse(file: &[u8]) -> Result<Self, String> {
        let tokenizer: Value =
            serde_json::from_slice(file).map_err(|error| format!("is no JSON: {error}"))?;
        Ok(Self { form: TextForm::parse(&tokenizer)?, pieces: Pieces::parse(&tokenizer["model"])? })
    }

    /// The tokens of a text. What the model does not know has none.
    pub(super) fn tokens(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        for word in self.form.words(text) {
            self.pieces.add_tokens(&word, &mut tokens);
        }
        tokens
    }
}
