//! An embedding model for the tests of search by meaning: that of the Python package `WordLlama` (MIT licence), laid out as model2vec
//! does. It is not part of the program.

use std::fs;
use std::path::PathBuf;

use crate::wheel::Wheel;
use crate::{Result, cache};

const WHEEL: Wheel = Wheel { name: "wordllama", version: "0.4.0.post1", programs: "wordllama" };
/// The files of the package, and their names in the layout.
const FILES: [(&str, &str); 2] = [
    ("weights/l2_supercat_256.safetensors", "model.safetensors"),
    ("tokenizers/l2_supercat_tokenizer_config.json", "tokenizer.json"),
];
/// Tests read the path of the folder from this variable.
const VARIABLE: &str = "QUIRE_TEST_EMBEDDING_MODEL";

/// The variable and the path of the folder. Downloads the model the first time.
pub fn require() -> Result<(&'static str, PathBuf)> {
    if let Some(folder) = std::env::var_os(VARIABLE) {
        return Ok((VARIABLE, folder.into()));
    }
    let package = WHEEL.programs()?;
    let model = cache::cached_folder("wordllama-256", |scratch| {
        let model = scratch.join("model");
        fs::create_dir(&model).map_err(|error| format!("cannot create {}: {error}", model.display()))?;
        for (file, name) in FILES {
            let file = package.join(file);
            fs::copy(&file, model.join(name))
                .map_err(|error| format!("cannot copy {}: {error}", file.display()))?;
        }
        Ok(model)
    })?;
    Ok((VARIABLE, model))
}
