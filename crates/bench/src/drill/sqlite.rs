//! The SQLite drill: a few kills in a temporary folder.

use super::kills::KillDrill;

pub async fn drill(short: bool) -> bool {
    let (kills, runs_per_kill) = if short { (6, "120") } else { (60, "400") };
    println!("\n## SQLite: {kills} kills -9 under load");
    let folder = tempfile::tempdir().unwrap();
    KillDrill::new(folder.path().to_owned(), runs_per_kill).run(kills, kills).await
}
