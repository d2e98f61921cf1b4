//! The folder that knows what was done: a database and, while they are needed, the documents themselves.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use crate::trouble::Trouble;

/// Makes it. Nobody else sees what is in there, since it is of documents that they may not see.
pub(super) fn make_folder(state: &Path) -> Result<(), Trouble> {
    if state.is_dir() {
        return Ok(());
    }
    let above = state.parent().map_or(Ok(()), std::fs::create_dir_all);
    above.and_then(|()| std::fs::DirBuilder::new().mode(0o700).create(state)).map_err(|error| {
        Trouble::new(format!(
            "the folder {} cannot be created ({error}); name another one with --state",
            state.display()
        ))
    })
}
