//! `[schemas]`

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Config;

/// The folder in the data folder, if no other is named.
const USUAL: &str = "schemas";

/// `[schemas]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Schemas {
    pub folder: PathBuf,
    pub default: String,
}

impl Config {
    /// Where people put the files of their schemas, if there is such a folder: one that is named must be there.
    pub fn schemas_folder(&self) -> Option<PathBuf> {
        let named = &self.schemas.folder;
        if named == Path::new("") {
            return Some(self.storage.data.join(USUAL)).filter(|folder| folder.is_dir());
        }
        Some(named.clone())
    }
}
