//! The permissions of files.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::upload;
use crate::program::Cli;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Every file and folder below a folder.
fn all_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| [vec![path.clone()], if path.is_dir() { all_below(&path) } else { vec![] }].concat())
        .collect()
}

#[test]
fn the_database_and_files_are_for_their_owner_alone() {
    let cli = Cli::new().with("QUIRE_UPLOADS_PROCESSING", "false");
    let server = cli.serve();
    assert_eq!(upload(&server, "").status, 201);
    let log = server.stop().stderr;
    assert!(!log.contains("other users"), "{log}");
    let data = cli.path("quire-data");
    let all = [vec![data.clone()], all_below(&data)].concat();
    assert!(all.iter().any(|path| path.ends_with("quire.db")) && all.len() > 4, "{all:?}");
    for path in all {
        assert_eq!(mode(&path) & 0o077, 0, "{}: {:o}", path.display(), mode(&path));
    }
}

#[test]
fn a_looser_mode_is_told_at_the_start_and_left_as_it_is() {
    let cli = Cli::new();
    cli.run_ok(&["migrate", "up"]);
    let data = cli.path("quire-data");
    let database = data.join("quire.db");
    fs::set_permissions(&data, Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&database, Permissions::from_mode(0o644)).unwrap();
    let log = cli.serve().stop().stderr;
    for told in ["quire.db", "644", "chmod -R go="] {
        assert!(log.contains(told), "{told}: {log}");
    }
    assert_eq!(mode(&database), 0o644);
}
