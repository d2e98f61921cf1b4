//! The share of indexing in the time of a document: the processor time of a server and its parsers with the index of texts, relative to
//! that without it.

use std::time::Duration;

use quire_testkit::documents::clinical_record;
use serde_json::Value;

use crate::api::client::Connection;
use crate::api::server::{ServerData, StepBehavior};
use crate::database::DatabaseKind;
use crate::pages::documents::upload;
use crate::process::usage::UsageMeter;
use crate::report::{Measurement, Table, median};

/// The target: the processor time with the index, relative to that without it.
const TARGET_RATIO: f64 = 1.15;
const ROUNDS: usize = 5;
/// Documents of a round, and the most pages of one.
const DOCUMENTS: usize = 60;
const MAX_PAGES: usize = 5;

/// Measures both in turns.
pub async fn measure() -> Table {
    let (mut ratios, mut with, mut without) = (Vec::new(), Vec::new(), Vec::new());
    // Round 0 is a warm-up.
    for round in 0..=ROUNDS {
        let bare = milliseconds_per_document("false").await;
        let indexed = milliseconds_per_document("true").await;
        if round > 0 {
            ratios.push(indexed / bare);
            with.push(indexed);
            without.push(bare);
        }
    }
    let name = "processor time of a document of text, with the index relative to without it";
    Table {
        measurements: vec![Measurement::at_most(name, median(ratios), TARGET_RATIO, "×")],
        notes: vec![format!(
            "{:.1} ms a document with the index, {:.1} ms without it",
            median(with),
            median(without)
        )],
    }
}

/// The processor time of a document that is uploaded to SQLite and processed.
async fn milliseconds_per_document(is_enabled: &str) -> f64 {
    let settings = [("QUIRE_SEARCH_ENABLED", is_enabled), ("QUIRE_LOG_LEVEL", "off")];
    let server = ServerData::new(DatabaseKind::Sqlite).await.serve(StepBehavior::Real, &settings);
    let mut connection = Connection::to(server.address).await;
    let files: Vec<Vec<u8>> = (1..=MAX_PAGES).map(clinical_record).collect();
    // The first document also pays for the start of the server and its parsers.
    let first = upload(&mut connection, &files[0]).await;
    completed(&mut connection, &first).await;
    let mut meter = UsageMeter::start(server.process_id());
    let before = meter.cpu_seconds_now();
    let mut ids = Vec::new();
    for file in files.iter().cycle().take(DOCUMENTS) {
        ids.push(upload(&mut connection, file).await);
    }
    // From the last one on, so that hardly any question is asked in vain.
    for id in ids.iter().rev() {
        completed(&mut connection, id).await;
    }
    (meter.cpu_seconds_now() - before) / DOCUMENTS as f64 * 1e3
}

/// Waits until a document is processed. Its jobs are asked for: the document itself is shown with those that are like it, and looking for
/// these is no part of the time that it takes to index it.
async fn completed(connection: &mut Connection, id: &str) {
    loop {
        let answer = connection.get(&format!("/documents/{id}/jobs")).await;
        let answer: Value = serde_json::from_slice(answer).unwrap();
        match answer["jobs"][0]["status"].as_str() {
            Some("COMPLETED") => return,
            Some("PENDING" | "PROCESSING") => tokio::time::sleep(Duration::from_millis(5)).await,
            other => panic!("{id} became {other:?}"),
        }
    }
}
