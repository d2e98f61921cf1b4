//! The state folder: a database and, until they are processed, copies of the documents.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use crate::error::CommandError;

/// Creates the folder. Only its owner can read it, because it contains text of the documents.
pub(super) fn create(state: &Path) -> Result<(), CommandError> {
    if state.is_dir() {
        return Ok(());
    }
    let parent = state.parent().map_or(Ok(()), std::fs::create_dir_all);
    parent.and_then(|()| std::fs::DirBuilder::new().mode(0o700).create(state)).map_err(|error| {
        CommandError::new(format!(
            "cannot create the folder {} ({error}); choose another one with --state",
            state.display()
        ))
    })
}
