//! PDF manuals out of Debian packages: text that others wrote and set, in several languages and with many tools. They
//! are unpacked into the cache to be measured, and are no part of Quire.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::succeed_quietly;
use crate::{Result, apt, cache};

/// About 20 MB to download.
const PACKAGES: &[&str] = &[
    "bash-doc",
    "debian-faq",
    "debian-policy",
    "debian-reference-es",
    "developers-reference-de",
    "developers-reference-fr",
    "glpk-doc",
    "gnuplot-doc",
    "graphviz-doc",
    "libmpfr-doc",
];

/// The folders of those that can be had. The benchmark can do without, so a failure is only told.
pub fn folders() -> Vec<PathBuf> {
    let mut lists = Lists { updated: false };
    let folder = |package: &&str| match folder(package, &mut lists) {
        Ok(folder) => Some(folder),
        Err(message) => {
            eprintln!("without the manuals of {package}: {message}");
            None
        }
    };
    PACKAGES.iter().filter_map(folder).collect()
}

fn folder(package: &str, lists: &mut Lists) -> Result<PathBuf> {
    cache::kept(&format!("manuals-{package}"), |scratch| {
        eprintln!("downloading the manuals of {package}");
        lists.download(package, scratch)?;
        let unpacked = scratch.join("unpacked");
        for file in files_below(scratch)? {
            succeed_quietly(Command::new("dpkg").arg("--extract").arg(file).arg(&unpacked))?;
        }
        collect_pdfs(&unpacked, &scratch.join("pdfs"))
    })
}

/// The lists of packages, which a fresh machine lacks and an old one may have let go stale.
struct Lists {
    updated: bool,
}

impl Lists {
    fn download(&mut self, package: &str, folder: &Path) -> Result<()> {
        let tried = apt::download(package, folder);
        if tried.is_ok() || self.updated {
            return tried;
        }
        self.updated = true;
        apt::update().and_then(|()| apt::download(package, folder))
    }
}

/// Moves the PDFs of an unpacked package into one folder, decompressed.
fn collect_pdfs(unpacked: &Path, collected: &Path) -> Result<PathBuf> {
    fs::create_dir(collected).map_err(|error| format!("cannot create {}: {error}", collected.display()))?;
    for mut file in files_below(unpacked)? {
        if ends_in(&file, "gz") && file.file_stem().is_some_and(|name| ends_in(Path::new(name), "pdf")) {
            succeed_quietly(Command::new("gzip").arg("--decompress").arg(&file))?;
            file.set_extension("");
        }
        if let Some(name) = file.file_name().filter(|_| ends_in(&file, "pdf")) {
            fs::rename(&file, collected.join(name))
                .map_err(|error| format!("cannot move {}: {error}", file.display()))?;
        }
    }
    Ok(collected.to_path_buf())
}

fn ends_in(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|its| its.eq_ignore_ascii_case(extension))
}

/// The files in a folder and in those below it. Links are left out: packages use them to name a file twice.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let unlisted = |error| format!("cannot list {}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unlisted)? {
        let entry = entry.map_err(unlisted)?;
        let kind = entry.file_type().map_err(unlisted)?;
        if kind.is_dir() {
            files.extend(files_below(&entry.path())?);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}
