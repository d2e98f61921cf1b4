//! `bench pages`: the pages in a real browser. Measures the first paint, the bytes sent, the latency of changes, and the
//! memory after many documents.

pub mod documents;

use quire_testkit::browser::Tab;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use self::documents::{completed, upload};
use crate::api::client::Connection;
use crate::api::seeding::insert_documents;
use crate::api::server::{ServerData, StepBehavior};
use crate::database::DatabaseKind;
use crate::report::{self, Measurement, Table, median};

/// The options of the benchmark.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct PagesBenchOptions {
    /// Documents in the inbox.
    #[arg(long, default_value_t = 10_000)]
    documents: usize,
    /// How often each page is opened, each time in a new browser.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Documents that are reviewed one after the other.
    #[arg(long, default_value_t = 200)]
    reviewed: usize,
}

/// Pages of the long document.
const PAGES: usize = 20;
/// The number of changes whose latency is measured.
const CHANGES: usize = 20;

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub async fn bench(options: PagesBenchOptions) -> bool {
    let data = ServerData::new(DatabaseKind::Sqlite).await;
    insert_documents(DatabaseKind::Sqlite, &data, options.documents, 1).await;
    let server = data.serve(StepBehavior::Real, &[]);
    let mut connection = Connection::to(server.address).await;
    let address = server.address.to_string();
    let long = upload(&mut connection, &clinical_record(PAGES)).await;
    completed(&mut connection, &long).await;

    let inbox = first_paint(&address, "/app", "#rows tr", options.rounds);
    let review = first_paint(&address, &format!("/app/documents/{long}"), "#form-body li", options.rounds);
    let change = change_latency(&address, &mut connection).await;
    let table = Table {
        measurements: vec![
            Measurement::at_most("first paint of the inbox", inbox.0, 300.0, " ms"),
            Measurement::at_most("sent for it before images", inbox.1, 150.0, " KB"),
            Measurement::at_most("first paint of a review", review.0, 300.0, " ms"),
            Measurement::at_most("sent for it before images", review.1, 150.0, " KB"),
            Measurement::at_most("from the end of a run to its row on the page", change, 200.0, " ms"),
        ],
        notes: vec![format!(
            "{} documents in the inbox, {PAGES} pages in the review; medians of {} browsers and {CHANGES} changes",
            options.documents, options.rounds
        )],
    };
    let met = report::print("Pages in a browser", &table);
    report::print("Memory after many documents", &memory(&address, &mut connection, options.reviewed).await)
        && met
}

/// Opens a page in new browsers. Returns the median milliseconds to the first paint and the median kilobytes sent, without
/// images.
fn first_paint(address: &str, path: &str, useful: &str, rounds: usize) -> (f64, f64) {
    let (mut paints, mut sizes) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let mut tab = Tab::open(address);
        tab.go(path);
        tab.until_seen(useful);
        tab.until("performance.getEntriesByName('first-contentful-paint').length > 0");
        let paint = tab.eval("performance.getEntriesByName('first-contentful-paint')[0].startTime");
        let size = tab.eval(
            "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]\
             .filter((e) => e.initiatorType !== 'img').reduce((sum, e) => sum + e.transferSize, 0)",
        );
        paints.push(paint.as_f64().unwrap());
        sizes.push(size.as_f64().unwrap() / 1000.0);
    }
    (median(paints), median(sizes))
}

/// The median milliseconds from the end of a run to the update of its row. Server and browser have the same clock.
async fn change_latency(address: &str, connection: &mut Connection) -> f64 {
    let mut tab = Tab::open(address);
    tab.go("/app");
    tab.until_seen("#rows tr");
    tab.eval(
        "window.seen = {}; new MutationObserver(() => { for (const row of document.querySelectorAll('#rows tr')) \
         if (row.querySelector('.chip.ready')) window.seen[row.dataset.id] ??= Date.now() })\
         .observe(document.body, { childList: true, subtree: true }); true",
    );
    let mut times = Vec::new();
    for pages in 1..=CHANGES {
        let id = upload(connection, &clinical_record(pages)).await;
        let ended = completed(connection, &id).await;
        tab.until(&format!("window.seen[{}]", json!(id)));
        let seen = tab.eval(&format!("window.seen[{}]", json!(id))).as_f64().unwrap();
        times.push(seen - ended);
    }
    median(times)
}

/// Whether the page shows its document as reviewed.
const REVIEWED: &str = "document.querySelector('#form-head').dataset.reviewed === 'true'";

/// Compares the browser's memory after a tenth of the documents with that after all of them.
async fn memory(address: &str, connection: &mut Connection, reviewed: usize) -> Table {
    let mut ids = Vec::new();
    for index in 0..reviewed {
        ids.push(upload(connection, &clinical_record(1 + index % 5)).await);
    }
    for id in &ids {
        completed(connection, id).await;
    }
    let mut tab = Tab::open(address);
    let mut early = None;
    for (index, id) in ids.iter().enumerate() {
        tab.go(&format!("/app/documents/{id}"));
        tab.click("#mark");
        // The page asks first if critical fields are empty.
        tab.until(&format!("{REVIEWED} || document.querySelector('#ask-dialog[open]') !== null"));
        tab.eval("document.querySelector('#ask-dialog[open] button:last-child')?.click(); true");
        tab.until(REVIEWED);
        if index + 1 == reviewed / 10 {
            early = Some(heap_and_nodes(&mut tab));
        }
    }
    let (early, late) = (early.unwrap_or([1.0; 2]), heap_and_nodes(&mut tab));
    Table {
        measurements: vec![
            Measurement::at_most(
                "script heap, relative to a tenth of the documents",
                late[0] / early[0],
                1.2,
                "×",
            ),
            Measurement::at_most(
                "DOM nodes, relative to a tenth of the documents",
                late[1] / early[1],
                1.2,
                "×",
            ),
        ],
        notes: vec![format!(
            "{reviewed} documents marked as reviewed in one tab: {:.1} MB and {:.0} nodes at the end",
            late[0] / 1e6,
            late[1]
        )],
    }
}

/// Bytes of the heap and number of DOM nodes, after a garbage collection.
fn heap_and_nodes(tab: &mut Tab) -> [f64; 2] {
    tab.command("HeapProfiler.collectGarbage", json!({}));
    let heap = tab.command("Runtime.getHeapUsage", json!({}));
    let counters = tab.command("Memory.getDOMCounters", json!({}));
    [&heap["usedSize"], &counters["nodes"]].map(|count: &Value| count.as_f64().unwrap())
}
