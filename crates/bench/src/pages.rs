//! `bench pages`: the pages in a real browser. How soon something useful is seen, how much is sent for it, how soon a change
//! is seen, and what stays in memory after many documents.

mod documents;

use quire_testkit::browser::Tab;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use self::documents::{completed, upload};
use crate::api::client::Connection;
use crate::api::fill::fill;
use crate::api::server::{Home, Work};
use crate::database::Kind;
use crate::report::{self, Line, Table, median};

/// What to measure.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Options {
    /// Documents in the inbox.
    #[arg(long, default_value_t = 10_000)]
    documents: usize,
    /// How often each page is opened by a browser that has never seen it.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// Documents that are reviewed in a row.
    #[arg(long, default_value_t = 200)]
    reviewed: usize,
}

/// Pages of the long document.
const PAGES: usize = 20;
/// Changes whose way to the page is timed.
const CHANGES: usize = 20;

/// Measures everything and prints the tables. Answers whether all that was wanted was reached.
pub async fn bench(options: Options) -> bool {
    let home = Home::new(Kind::Sqlite).await;
    fill(Kind::Sqlite, &home, options.documents, 1).await;
    let server = home.serve(Work::Real, &[]);
    let mut connection = Connection::to(server.address).await;
    let address = server.address.to_string();
    let long = upload(&mut connection, &clinical_record(PAGES)).await;
    completed(&mut connection, &long).await;

    let inbox = opened(&address, "/app", "#rows tr", options.rounds);
    let review = opened(&address, &format!("/app/documents/{long}"), "#panel-body li", options.rounds);
    let change = changes(&address, &mut connection).await;
    let table = Table {
        lines: vec![
            Line::at_most("first paint of the inbox", inbox.0, 300.0, " ms"),
            Line::at_most("sent for it before images", inbox.1, 150.0, " KB"),
            Line::at_most("first paint of a review", review.0, 300.0, " ms"),
            Line::at_most("sent for it before images", review.1, 150.0, " KB"),
            Line::at_most("from the end of a run to its row", change, 200.0, " ms"),
        ],
        notes: vec![format!(
            "{} documents in the inbox, {PAGES} pages in the review; medians of {} new browsers and {CHANGES} changes",
            options.documents, options.rounds
        )],
    };
    let met = report::print("Pages in a browser", &table);
    report::print("Many documents in a row", &memory(&address, &mut connection, options.reviewed).await)
        && met
}

/// Opens a page in so many new browsers: milliseconds to the first paint, and kilobytes that were sent besides images.
fn opened(address: &str, path: &str, useful: &str, rounds: usize) -> (f64, f64) {
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

/// Milliseconds from the end of a run, by the server's clock, to its row that says so, by the browser's: it is the same.
async fn changes(address: &str, connection: &mut Connection) -> f64 {
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

/// What the browser keeps after a tenth of the documents and after all of them.
async fn memory(address: &str, connection: &mut Connection, reviewed: usize) -> Table {
    let mut ids = Vec::new();
    for place in 0..reviewed {
        ids.push(upload(connection, &clinical_record(1 + place % 5)).await);
    }
    for id in &ids {
        completed(connection, id).await;
    }
    let mut tab = Tab::open(address);
    let mut early = None;
    for (place, id) in ids.iter().enumerate() {
        tab.go(&format!("/app/documents/{id}"));
        tab.click("#mark");
        tab.until("document.querySelector('#panel-head').dataset.reviewed === 'true'");
        if place + 1 == reviewed / 10 {
            early = Some(kept(&mut tab));
        }
    }
    let (early, late) = (early.unwrap_or([1.0; 2]), kept(&mut tab));
    Table {
        lines: vec![
            Line::at_most("heap of scripts, to that after a tenth", late[0] / early[0], 1.2, "×"),
            Line::at_most("nodes of pages, to those after a tenth", late[1] / early[1], 1.2, "×"),
        ],
        notes: vec![format!(
            "{reviewed} documents marked as reviewed in one tab: {:.1} MB and {:.0} nodes at the end",
            late[0] / 1e6,
            late[1]
        )],
    }
}

/// Bytes of the heap and nodes of documents, once what nobody needs is gone.
fn kept(tab: &mut Tab) -> [f64; 2] {
    tab.command("HeapProfiler.collectGarbage", json!({}));
    let heap = tab.command("Runtime.getHeapUsage", json!({}));
    let counters = tab.command("Memory.getDOMCounters", json!({}));
    [&heap["usedSize"], &counters["nodes"]].map(|figure: &Value| figure.as_f64().unwrap())
}
