//! PDF manuals from Debian packages: text in several languages, made with many tools. They are unpacked into the
//! cache to be measured, and are no part of Quire.

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

/// The folders of the manuals that can be downloaded. The benchmark works without them, so a failure is only printed.
pub fn folders() -> Vec<PathBuf> {
    let mut lists = PackageLists { updated: false };
    let folder = |package: &&str| match folder(package, &mut lists) {
        Ok(folder) => Some(folder),
        Err(message) => {
            eprintln!("without the manuals of {package}: {message}");
            None
        }
    };
    PACKAGES.iter().filter_map(folder).collect()
}

fn folder(package: &str, lists: &mut PackageLists) -> Result<PathBuf> {
    cache::cached_folder(&format!("manuals-{package}"), |scratch| {
        eprintln!("downloading the manuals of {package}");
        lists.download(package, scratch)?;
        let unpacked = scratch.join("unpacked");
        for file in files_below(scratch)? {
            succeed_quietly(Command::new("dpkg").arg("--extract").arg(file).arg(&unpacked))?;
        }
        collect_pdfs(&unpacked, &scratch.join("pdfs"))
    })
}

/// The package lists, which are missing on a fresh machine and may be outdated on an old one.
struct PackageLists {
    updated: bool,
}

impl PackageLists {
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
        if has_extension(&file, "gz")
            && file.file_stem().is_some_and(|name| has_extension(Path::new(name), "pdf"))
        {
            succeed_quietly(Command::new("gzip").arg("--decompress").arg(&file))?;
            file.set_extension("");
        }
        if let Some(name) = file.file_name().filter(|_| has_extension(&file, "pdf")) {
            fs::rename(&file, collected.join(name))
                .map_err(|error| format!("cannot move {}: {error}", file.display()))?;
        }
    }
    Ok(collected.to_path_buf())
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|its| its.eq_ignore_ascii_case(extension))
}

/// All files below a folder. Links are left out: packages use them as second names of a file.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let cannot_list = |error| format!("cannot list {}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot_list)? {
        let entry = entry.map_err(cannot_list)?;
        let kind = entry.file_type().map_err(cannot_list)?;
        if kind.is_dir() {
            files.extend(files_below(&entry.path())?);
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(files)
}
