//! The drill of blobs: three workers on PostgreSQL read documents from Azure Blob Storage (Azurite) that clients upload to a
//! server beside them, while workers and the server are killed, Azurite is restarted, and the database is restarted or loses
//! its connections. Every document must be stored once, with its file, and be processed once.

use super::cloud::{Cloud, Program, Services, WORKERS};
use super::uploads::send_all;
use crate::database::{self, CommitGrouping, DatabaseKind};

/// With `restarts_server`, the PostgreSQL server is restarted; otherwise the connections of this installation are cut.
pub async fn drill(uploads: u64, restarts_server: bool) -> bool {
    println!("\n## PostgreSQL and Azurite: {WORKERS} workers, {uploads} uploads");
    let database = database::create(DatabaseKind::Postgres, CommitGrouping::Default).await;
    let services = Services::start(&database.schema, restarts_server).await;
    Program::New.run(&["migrate", "up"], &services.environment).unwrap();
    let mut cloud = Cloud::start(services, &Program::New);
    let sending = tokio::spawn(send_all(cloud.address.clone(), uploads));
    while !sending.is_finished() {
        cloud.disturb().await;
    }
    let answers = sending.await.unwrap();
    cloud.finish(&database.store, &answers, uploads).await
}
