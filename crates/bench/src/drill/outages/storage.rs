//! The disk of the storage is unmounted again and again, and comes back.

use std::time::Duration;

use rand::RngExt;

use super::installation::{Installation, documents};
use super::mounts::StorageDisk;
use super::traffic::{Expected, Traffic};
use super::{conclude, wait_for_progress};
use crate::database::{self, CommitGrouping, DatabaseKind};

pub async fn drill(kind: DatabaseKind, short: bool) -> bool {
    let outages = if short { 2 } else { 12 };
    println!("\n## {}: the disk of the storage is unmounted {outages} times", kind.name());
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut disk = StorageDisk::new(documents(&data), folder.path().join("disk"));
    let settings = Vec::new();
    let (installation, _schema) = match kind {
        DatabaseKind::Sqlite => (Installation::on_sqlite(&data, &settings), None),
        DatabaseKind::Postgres => {
            let place = database::create(kind, CommitGrouping::Default).await;
            let url = quire_postgres::testing::url();
            let installation = Installation::on_postgres(&data, &url, Some(&place.schema), &settings);
            (installation.await, Some(place))
        }
    };
    let traffic = Traffic::start(installation.address, Expected::StorageAway);
    wait_for_progress(&traffic, &installation.store).await;
    for outage in 0..outages {
        // Also short ones, which end while calls are still under way.
        let longest = if outage % 2 == 0 { 4000 } else { 50 };
        let (before, away) = {
            let mut rng = rand::rng();
            (rng.random_range(0..500), rng.random_range(0..longest))
        };
        tokio::time::sleep(Duration::from_millis(before)).await;
        disk.take_away();
        if outage % 2 == 0 {
            traffic.wait_for_refusal().await;
        }
        tokio::time::sleep(Duration::from_millis(away)).await;
        let written = disk.bring_back();
        if written > 0 {
            traffic.violation(format!("{written} entries were written below the disk"));
        }
        wait_for_progress(&traffic, &installation.store).await;
    }
    conclude(installation, traffic, outages).await
}
