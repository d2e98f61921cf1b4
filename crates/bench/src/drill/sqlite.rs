//! The SQLite drill: a few kills in a temporary folder.

use super::kills::KillDrill;

pub async fn drill(short: bool) -> bool {
    let kills = if short { 6 } else { 60 };
    println!("\n## SQLite: {kills} kills -9 under load");
    let folder = tempfile::tempdir().unwrap();
    KillDrill::new(folder.path().to_owned(), "400").run(kills, kills).await
}
