//! The disk that has the database and the storage becomes full, and has space again.

use std::fs::{self, File};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::fs::{FallocateFlags, fallocate, fstatvfs};

use super::installation::Installation;
use super::mounts::Mount;
use super::small_database::SmallDatabase;
use super::traffic::{Expected, Traffic};
use super::{conclude, wait_for_progress};
use crate::database::DatabaseKind;

/// The size of the disk.
const DISK_MB: u64 = 256;
/// How much space others leave on it, in bytes: for nothing, for small files, for small but not for large documents.
static SPACE_LEFT: [u64; 4] = [0, 12 << 10, 60 << 10, 300 << 10];
const FULL_FOR: Duration = Duration::from_secs(4);

/// Returns whether it passed, or why it cannot run here.
pub async fn drill(kind: DatabaseKind, short: bool) -> Result<bool, String> {
    let mut passed = true;
    // Without a limit of free space every write may fail; with one, uploads are refused before.
    for min_free_mb in if short { &[0][..] } else { &[0, 4] } {
        let spaces = if short { &SPACE_LEFT[1..2] } else { &SPACE_LEFT };
        passed &= drill_with(kind, *min_free_mb, spaces).await?;
    }
    Ok(passed)
}

async fn drill_with(kind: DatabaseKind, min_free_mb: u64, spaces: &'static [u64]) -> Result<bool, String> {
    println!(
        "\n## {}: the disk is full {} times, uploads.min_free_mb = {min_free_mb}",
        kind.name(),
        spaces.len()
    );
    let folder = tempfile::tempdir().unwrap();
    // The database server is another user and must reach its folder below.
    let traversable = std::os::unix::fs::PermissionsExt::from_mode(0o711);
    fs::set_permissions(folder.path(), traversable).unwrap();
    let disk = Mount::small_disk(folder.path(), DISK_MB)
        .map_err(|reason| format!("a small disk cannot be mounted here: {reason}"))?;
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let settings = vec![("QUIRE_UPLOADS_MIN_FREE_MB", min_free_mb.to_string())];
    let passed = match kind {
        DatabaseKind::Sqlite => {
            fill(Installation::on_sqlite(&data, &settings), folder.path().to_owned(), spaces).await
        }
        DatabaseKind::Postgres => {
            let database = SmallDatabase::create(&folder.path().join("postgres")).await?;
            let installation = Installation::on_postgres(&data, &database.url, None, &settings).await;
            let filled = tokio::spawn(fill(installation, folder.path().to_owned(), spaces)).await;
            database.remove().await;
            filled.unwrap()
        }
    };
    drop(disk);
    Ok(passed)
}

async fn fill(installation: Installation, disk: PathBuf, spaces: &[u64]) -> bool {
    let mut ballast = Ballast(File::create(disk.join("ballast")).unwrap());
    let traffic = Traffic::start(installation.address, Expected::DiskFull);
    wait_for_progress(&traffic, &installation.store).await;
    for space in spaces {
        let (began, refused) = (Instant::now(), traffic.refused());
        ballast.leave(*space);
        // Whatever is written and deleted meanwhile, as much is left.
        while began.elapsed() < FULL_FOR || traffic.refused() == refused && began.elapsed() < super::PATIENCE
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
            ballast.leave(*space);
        }
        if traffic.refused() == refused {
            traffic.violation(format!("no upload was refused with {space} bytes left"));
        }
        ballast.remove();
        wait_for_progress(&traffic, &installation.store).await;
    }
    conclude(installation, traffic, spaces.len()).await
}

/// A file that takes the space.
struct Ballast(File);

impl Ballast {
    /// Grows or shrinks until that many bytes are free.
    fn leave(&mut self, left: u64) {
        let disk = fstatvfs(self.0.as_fd()).unwrap();
        let free = disk.f_bavail * disk.f_frsize;
        let size = self.0.metadata().unwrap().len();
        if free > left {
            // Others may have taken the space meanwhile.
            let _ = fallocate(self.0.as_fd(), FallocateFlags::empty(), size, free - left);
        } else {
            self.0.set_len(size.saturating_sub(left - free)).unwrap();
        }
    }

    fn remove(&mut self) {
        self.0.set_len(0).unwrap();
    }
}
