//! Mounts and unmounts, with the programs of the system. Only root may do that, and not in every container.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::entries;

/// Something that is mounted. Dropping it unmounts it.
pub struct Mount {
    at: PathBuf,
}

impl Mount {
    /// Mounts an empty file system of that size.
    pub fn small_disk(at: &Path, megabytes: u64) -> Result<Self, String> {
        Self::run(&["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=711"), "tmpfs"], at)
    }

    /// Makes a folder visible at another place.
    fn bind(folder: &Path, at: &Path) -> Result<Self, String> {
        Self::run(&["--bind", folder.to_str().unwrap()], at)
    }

    fn run(arguments: &[&str], at: &Path) -> Result<Self, String> {
        let mut command = Command::new("mount");
        let output = command.args(arguments).arg(at).output().map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(Self { at: at.to_owned() })
        } else {
            Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
    }
}

impl Drop for Mount {
    /// Takes the place out of sight at once. What is open stays usable until it is closed, as for a disk in use.
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.at).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "cannot unmount {}", self.at.display());
    }
}

/// The disk of a storage folder, which comes and goes. Where mounting is not allowed, the folder is moved away instead and
/// an empty one takes its place.
pub struct StorageDisk {
    folder: PathBuf,
    disk: PathBuf,
    mount: Option<Mount>,
    can_mount: bool,
}

impl StorageDisk {
    /// A disk that is there. `disk` is where its content is kept.
    pub fn new(folder: PathBuf, disk: PathBuf) -> Self {
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir(&disk).unwrap();
        let mounted = Mount::bind(&disk, &folder);
        if let Err(reason) = &mounted {
            println!("Mounting is not allowed here ({reason}); the folder is moved away and back instead.");
            fs::remove_dir(&disk).unwrap();
        }
        let mount = mounted.ok();
        Self { folder, disk, can_mount: mount.is_some(), mount }
    }

    /// Takes the disk away. An empty folder stays.
    pub fn take_away(&mut self) {
        if self.can_mount {
            self.mount = None;
        } else {
            fs::rename(&self.folder, &self.disk).unwrap();
            fs::create_dir(&self.folder).unwrap();
        }
    }

    /// Brings the disk back. Returns how many files and folders were written to the empty folder meanwhile.
    pub fn bring_back(&mut self) -> usize {
        let written = entries(&self.folder);
        if self.can_mount {
            self.mount = Some(Mount::bind(&self.disk, &self.folder).unwrap());
        } else {
            fs::remove_dir_all(&self.folder).unwrap();
            fs::rename(&self.disk, &self.folder).unwrap();
        }
        written
    }
}
