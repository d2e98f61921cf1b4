//! `[schemas]`

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Config;

/// The folder in the data folder, used if it exists and no other is set.
const DEFAULT_FOLDER: &str = "schemas";

/// `[schemas]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct SchemasSection {
    pub folder: PathBuf,
    pub default: String,
}

impl Config {
    /// The folder with schema files, if any. A folder that is set must exist; the default one need not.
    pub fn schemas_folder(&self) -> Option<PathBuf> {
        let folder = &self.schemas.folder;
        if folder == Path::new("") {
            return Some(self.storage.data.join(DEFAULT_FOLDER)).filter(|folder| folder.is_dir());
        }
        Some(folder.clone())
    }
}
