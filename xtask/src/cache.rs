//! Downloads that are kept for the next run.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::Result;
use crate::temp_dir::TempDir;

/// The cached folder of that name. The first time, `make` creates it inside the empty folder that it gets, and returns its
/// path.
pub fn cached_folder(name: &str, make: impl FnOnce(&Path) -> Result<PathBuf>) -> Result<PathBuf> {
    let scratch = TempDir::create("download")?;
    let cached = folder_of(scratch.owner()?)?.join(name);
    if !cached.exists() {
        let fresh = make(scratch.path())?;
        // Renamed when complete, so that a killed download leaves no incomplete cache. If another run was first, the
        // rename fails, and its copy is the same.
        if let Err(error) = fs::rename(&fresh, &cached)
            && !cached.exists()
        {
            return Err(format!("cannot create {}: {error}", cached.display()));
        }
    }
    Ok(cached)
}

/// The cache is in the temporary folder, because PostgreSQL runs as another user, who cannot read the home folder of root.
/// A cache of another user is refused, since we run its programs.
fn folder_of(user: u32) -> Result<PathBuf> {
    let cache = std::env::temp_dir().join(format!("quire-services-{user}"));
    fs::create_dir_all(&cache).map_err(|error| format!("cannot create {}: {error}", cache.display()))?;
    let owner =
        fs::symlink_metadata(&cache).map_err(|error| format!("cannot read {}: {error}", cache.display()))?;
    if owner.uid() == user && owner.is_dir() {
        Ok(cache)
    } else {
        Err(format!(
            "{} belongs to another user; remove it, or set TMPDIR to another folder",
            cache.display()
        ))
    }
}
