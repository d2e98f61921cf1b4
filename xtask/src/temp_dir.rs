//! A temporary folder of this process. Dropping it removes the folder.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::Result;

pub struct TempDir(PathBuf);

impl TempDir {
    /// Creates a new folder. It never reuses what an earlier, killed run left behind.
    pub fn create(purpose: &str) -> Result<Self> {
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_nanos());
        let path = std::env::temp_dir().join(format!("quire-{purpose}-{}-{nanos:x}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The user id of this process. The standard library has no getuid, but we own the folder that we have just created.
    pub fn owner(&self) -> Result<u32> {
        let metadata =
            fs::metadata(&self.0).map_err(|error| format!("cannot read {}: {error}", self.0.display()))?;
        Ok(metadata.uid())
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // A folder that cannot be removed is no reason to fail.
        let _ = fs::remove_dir_all(&self.0);
    }
}
