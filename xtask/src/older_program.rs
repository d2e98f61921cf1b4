//! The program as it was before the newest migration, built from git, for the drill of upgrades.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;
use crate::cargo::{cargo, succeed, workspace_root};

/// The variable with which the drill finds the program.
pub const VARIABLE: &str = "QUIRE_TEST_OLD_PROGRAM";
const MIGRATIONS: &str = "crates/infrastructure/postgres/migrations";

/// Builds the program of the commit before the newest migration in a folder of its own, and returns its path.
pub fn build() -> Result<PathBuf> {
    let migration = newest(&workspace_root().join(MIGRATIONS))?;
    let commit = commit_before(&format!("{MIGRATIONS}/{migration}"))?;
    eprintln!("building the program of {commit}, before {migration}");
    let folder = workspace_root().join("target/older-program");
    let source = folder.join("source");
    unpack(&commit, &source)?;
    let target = folder.join("target");
    let mut build = cargo();
    build.current_dir(&source).env("CARGO_TARGET_DIR", &target);
    succeed(build.args(["build", "--profile", "dist", "--package", "quire"]))?;
    Ok(target.join("dist/quire"))
}

/// The name of the newest file that applies a migration.
fn newest(folder: &Path) -> Result<String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        names.extend(entry.map_err(unreadable)?.file_name().into_string());
    }
    let newest = names.into_iter().filter(|name| name.ends_with(".up.sql")).max();
    newest.ok_or_else(|| format!("{} has no migration", folder.display()))
}

/// The commit before the one that added the file: the newest one if none did yet.
fn commit_before(file: &str) -> Result<String> {
    let added = git(&["log", "--diff-filter=A", "--format=%H", "-1", "--", file])?;
    let before = if added.is_empty() { "HEAD".to_owned() } else { format!("{added}^") };
    git(&["rev-parse", &before])
}

/// What git prints.
fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).current_dir(workspace_root()).output();
    let output = output.map_err(|error| format!("cannot run git: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`git {}` failed: {}", arguments.join(" "), complaint.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Replaces the folder by the files of the commit.
fn unpack(commit: &str, folder: &Path) -> Result<()> {
    let failed = |error: std::io::Error| format!("cannot unpack {commit}: {error}");
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut archive = Command::new("git")
        .args(["archive", commit])
        .current_dir(workspace_root())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let files = archive.stdout.take().map_or_else(Stdio::null, Stdio::from);
    succeed(Command::new("tar").args(["-x", "-C"]).arg(folder).stdin(files))?;
    if archive.wait().map_err(failed)?.success() { Ok(()) } else { Err(format!("cannot unpack {commit}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_migration_is_the_last_one_of_the_list() {
        let newest = newest(&workspace_root().join(MIGRATIONS)).unwrap();
        let list = workspace_root().join("crates/infrastructure/sql/src/migrations/mod.rs");
        let list = std::fs::read_to_string(list).unwrap();
        let name = newest.trim_end_matches(".up.sql");
        let entry = list.rfind("            \"0").map(|place| list[place..].trim_start()).unwrap();
        assert!(entry.starts_with(&format!("\"{name}\"")), "{name}");
    }
}
