//! Small models of each kind, and folders that are none.

use std::path::Path;

use quire_ports::{CallContext, EmbedRequest, Embedder as _};
use serde_json::{Value, json};

use super::*;

/// A file with a table of two columns, in single precision.
fn tensors(rows: &[[f32; 2]]) -> Vec<u8> {
    let size = rows.len() * 8;
    let header =
        json!({ "embeddings": { "dtype": "F32", "shape": [rows.len(), 2], "data_offsets": [0, size] } });
    let header = header.to_string();
    let numbers = rows.iter().flatten().flat_map(|number| number.to_le_bytes());
    let length = (header.len() as u64).to_le_bytes();
    length.into_iter().chain(header.into_bytes()).chain(numbers).collect()
}

fn folder(tokenizer: &Value, tensors: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(TENSORS), tensors).unwrap();
    fs::write(folder.path().join(TOKENIZER), tokenizer.to_string()).unwrap();
    folder
}

fn tokens(tokenizer: &Value, text: &str) -> Vec<u32> {
    Tokenizer::parse(tokenizer.to_string().as_bytes()).unwrap().tokens(text)
}

fn word_piece() -> Value {
    json!({
        "normalizer": { "type": "BertNormalizer", "lowercase": true, "strip_accents": null },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "vocab": { "[UNK]": 0, "gat": 1, "##o": 2, "perro": 3, ",": 4, "gatito": 5 } },
    })
}

#[test]
fn words_are_cut_as_each_kind_of_tokenizer_cuts_them() {
    assert_eq!(tokens(&word_piece(), "Gáto,PERRO gatito"), [1, 2, 4, 3, 5]);
    assert_eq!(tokens(&word_piece(), "gatx perro"), [3], "an unknown word has no token");
    let unigram = json!({
        "normalizer": { "type": "Precompiled" },
        "pre_tokenizer": { "type": "Metaspace" },
        "model": { "type": "Unigram", "unk_id": 0,
                   "vocab": [["<unk>", 0.0], ["\u{2581}ga", -2.0], ["to", -2.0], ["\u{2581}gato", -3.0], ["s", -1.0]] },
    });
    assert_eq!(tokens(&unigram, "gatos  ga\u{2003}gato"), [3, 4, 1, 3]);
    assert_eq!(tokens(&unigram, "gaxto"), [1, 2], "an unknown sign is left out");
    let bpe = json!({
        "normalizer": { "type": "Sequence", "normalizers": [{ "type": "Prepend", "prepend": "\u{2581}" },
                                                           { "type": "Replace", "pattern": { "String": " " }, "content": "\u{2581}" }] },
        "pre_tokenizer": null,
        "model": { "type": "BPE", "byte_fallback": true,
                   "vocab": { "\u{2581}": 0, "g": 1, "a": 2, "t": 3, "o": 4, "ga": 5, "to": 6, "gato": 7, "\u{2581}gato": 8,
                              "<0xC3>": 9, "<0xB1>": 10 },
                   "merges": ["g a", ["t", "o"], "ga to", "\u{2581} gato"] },
    });
    assert_eq!(tokens(&bpe, "gato ga to"), [8, 0, 5, 0, 6]);
    assert_eq!(tokens(&bpe, "ñ"), [0, 9, 10], "what has no token is written in bytes");
    assert_eq!(tokens(&bpe, &"gato".repeat(100)).len(), 100, "a text without spaces is cut");
}

#[tokio::test]
async fn the_vector_of_a_text_is_the_mean_of_its_tokens() {
    let rows = [[9.0, 9.0], [1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [0.0, 0.0], [3.0, 0.0]];
    let folder = folder(&word_piece(), &tensors(&rows));
    let model = LocalEmbedder::open(folder.path()).unwrap();
    let texts = ["gatito", "gato perro", "¿?"].map(str::to_owned).to_vec();
    let request = EmbedRequest { context: CallContext::default(), texts, deadline: None };
    let vectors = model.embed(request).await.unwrap();
    let half = 0.5f32.sqrt();
    for (vector, expected) in vectors.iter().zip([[1.0, 0.0], [half, half], [0.0, 0.0]]) {
        assert!(vector.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-6), "{vector:?}");
    }
    let name = folder.path().file_name().unwrap().to_string_lossy().into_owned();
    assert!(model.model().starts_with(&name) && !model.is_lexical());
    fs::write(folder.path().join(TENSORS), tensors(&rows[..5])).unwrap();
    assert_ne!(
        LocalEmbedder::open(folder.path()).unwrap().model(),
        model.model(),
        "another model, another name"
    );
}

#[test]
fn a_folder_that_is_no_model_is_refused_with_the_file_that_is_wrong() {
    let problem = |folder: &Path| LocalEmbedder::open(folder).err().unwrap().to_string();
    let empty = tempfile::tempdir().unwrap();
    assert!(problem(empty.path()).contains("model.safetensors cannot be read"));
    assert!(LocalEmbedder::check(empty.path()).is_err());
    let whole = tensors(&[[0.0, 1.0]]);
    let mut lies = whole.clone();
    lies[0] = 0xff;
    for (tokenizer, tensors, expected) in [
        (word_piece(), &whole[..whole.len() - 1], "is cut short"),
        (word_piece(), &lies[..], "is no safetensors file"),
        (word_piece(), &[][..], "is no safetensors file"),
        (json!({ "pre_tokenizer": { "type": "ByteLevel" } }), &whole[..], "of the kind ByteLevel"),
        (json!({ "model": { "type": "WordLevel" } }), &whole[..], "by WordLevel"),
        (json!({ "model": { "type": "BPE" } }), &whole[..], "has no vocabulary"),
    ] {
        let folder = folder(&tokenizer, tensors);
        assert!(LocalEmbedder::check(folder.path()).is_ok());
        assert!(problem(folder.path()).contains(expected), "{expected}: {}", problem(folder.path()));
    }
}
