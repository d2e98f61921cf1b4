//! The processing history of a document and the operations page.

use quire_testkit::browser::Tab;
use quire_testkit::documents::clinical_record;
use quire_testkit::{ModelReply, ModelServer};

use crate::reading::ocr::scan;
use crate::test_env::{TestEnv, wait_until};
use crate::uploads::{upload, upload_document};

#[tokio::test(flavor = "multi_thread")]
async fn the_processing_history_shows_a_new_run_live() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let (_, _, document) = upload(&server, "/documents/upload", "alta.pdf", &clinical_record(1));
    env.wait_for_latest_run(document).await;
    let mut tab = Tab::open(&server.address);
    tab.go(&format!("/app/documents/{document}/runs"));
    assert_eq!(tab.count("#runs article"), 1);
    tab.until_text("#runs article", "Completed");
    tab.until_text("#runs tbody tr:nth-child(1)", "Reading");
    tab.until_text("#runs tbody tr:nth-child(2)", "Interpretation");
    tab.eval("window.sameDocument = true");
    tab.click("#reprocess");
    tab.until_text("#toasts", "processed again");
    tab.until("document.querySelectorAll('#runs article').length === 2");
    tab.until("document.querySelector('#runs article .chip').textContent === 'Completed'");
    assert_eq!(tab.text("#runs article h2"), "Run 2", "the newest comes first");
    assert_eq!(tab.eval("window.sameDocument"), true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_links_to_the_page_of_its_error_code() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let (_, _, document) = upload(&server, "/documents/upload", "vacío.pdf", &clinical_record(0));
    env.wait_for_latest_run(document).await;
    let mut tab = Tab::open(&server.address);
    tab.set_language("es");
    tab.go(&format!("/app/documents/{document}/runs"));
    tab.until_text(".run .chip.error", "Fallida");
    tab.click(".run .failure a");
    tab.until_text("h2", "What to do");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_run_can_be_cancelled_and_shows_it() {
    let model = ModelServer::start("sk-pages", vec![ModelReply::NoResponse]);
    let env = TestEnv::on_sqlite(&[]);
    let settings = format!(
        "[interpreter]\nkind = \"model\"\n[model]\nurl = \"{}\"\nname = \"any\"\napi_key = \"sk-pages\"\n",
        model.url
    );
    env.cli.write("quire.toml", &settings);
    let server = env.cli.serve();
    let (_, _, document) = upload(&server, "/documents/upload", "alta.pdf", &clinical_record(1));
    let mut tab = Tab::open(&server.address);
    tab.set_language("es");
    tab.go(&format!("/app/documents/{document}/runs"));
    tab.until_text("#runs button[data-cancel]", "Cancelar la ejecución");
    tab.click("#runs button[data-cancel]");
    tab.until_text("#toasts", "se ha cancelado");
    tab.until_text("#runs .failure", "CANCELLED");
    assert_eq!(tab.count("#runs button[data-cancel]"), 0);
    wait_until(async || model.open_requests() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operations_page_has_metrics_plots_and_workers() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let (_, _, document) = upload(&server, "/documents/upload", "alta.pdf", &clinical_record(1));
    env.wait_for_latest_run(document).await;
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    tab.click("nav a[href='/app/operations']");
    tab.until_text("h1", "Operations");
    assert_eq!(tab.count("svg.plot"), 4);
    tab.until_text(".metrics .card:nth-child(1) dd", "0");
    tab.until_text("section tbody", "holds the database file");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lane_is_paused_and_resumed_on_the_operations_page_and_shows_what_waits() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app/operations");
    tab.click("[id='pause-ocr']");
    tab.until("document.querySelector(\"[id='resume-ocr']\") !== null");
    let scanned = upload_document(&server, &scan(), "");
    // The row has the state, who paused it, how many wait and when the first goes on by itself.
    let row = "document.querySelector(\"[data-lane='ocr']\").closest('tr')";
    tab.until(&format!("{row}.cells[1].textContent.includes('paused by local')"));
    tab.until(&format!("{row}.cells[2].textContent === '1'"));
    tab.until(&format!("{row}.cells[3].querySelector('time[datetime]') !== null"));
    assert_eq!(env.runs_of(scanned).await[0].state.as_str(), "QUEUED");
    tab.click("[id='resume-ocr']");
    tab.until("document.querySelector(\"[id='pause-ocr']\") !== null");
    env.wait_until_completed(scanned).await;

    tab.click("[id='pause-pipeline:document']");
    tab.until("document.querySelector(\"[id='resume-pipeline:document']\") !== null");
    let closed = "quire_lane_closed{lane=\"pipeline:document\"} 1\n";
    wait_until(async || server.get("/metrics").body.contains(closed)).await;
    let (_, _, document) = upload(&server, "/documents/upload", "alta.pdf", &clinical_record(1));
    let row = "document.querySelector(\"[data-lane='pipeline:document']\").closest('tr')";
    tab.until(&format!("{row}.cells[2].textContent === '1'"));
    tab.click("[id='resume-pipeline:document']");
    env.wait_until_completed(document).await;
}
