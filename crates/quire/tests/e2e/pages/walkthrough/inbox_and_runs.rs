//! Searching a document, processing it again, and reading its processing history.

use jiff::{SignedDuration, Timestamp};
use quire_domain::{DocumentId, Pipeline};
use quire_ports::MinuteMetrics;

use super::Walkthrough;
use crate::pages::inbox::until_names;
use crate::test_env::wait_until;

impl Walkthrough {
    /// Finds the document by a corrected value and by its name.
    pub(super) fn search_document(&mut self) {
        self.tab.click("nav a[href='/app']");
        self.until_page("Documents", "Documentos");
        self.until_text("#rows .chip.reviewed", "Reviewed", "Revisado");
        self.take_screenshot("inbox");
        self.tab.press("/");
        self.search("ANGORA");
        until_names(&mut self.tab, &["luna.pdf"]);
        self.search("nobody");
        self.until_text("#no-results h2", "No documents found", "No se han encontrado documentos");
        self.search("luna.pdf");
        until_names(&mut self.tab, &["luna.pdf"]);
        self.until_text("#total", "1 document", "1 documento");
    }

    fn search(&mut self, text: &str) {
        self.tab.press("Control+a");
        self.tab.type_text(text);
        self.tab.until(&format!("location.search === '?q={text}'"));
    }

    /// Selects the document and processes it again.
    pub(super) async fn reprocess_document(&mut self, document: DocumentId) {
        self.tab.click("#rows .pick input");
        self.until_text("#selected", "1 selected", "1 seleccionado");
        self.tab.click("#reprocess-selected");
        self.until_text(
            "#reprocess-text",
            "1 document will be processed again. Earlier results",
            "Se volverá a procesar 1 documento. Los resultados",
        );
        self.tab.click("#reprocess-start");
        self.until_text("#reprocess-cancel", "Close", "Cerrar");
        self.tab.click("#reprocess-cancel");
        wait_until(async || self.env.runs_of(document).await.len() == 2).await;
        self.env.wait_for_all_runs(document).await;
    }

    /// Checks that both runs are listed with their steps, the newest first.
    pub(super) fn check_runs(&mut self) {
        let document = self.open("luna.pdf");
        self.tab.click(&format!("a[href='/app/documents/{document}/runs']"));
        self.until_page("Processing history", "Historial de procesamiento");
        assert_eq!(self.tab.count("#runs article"), 2);
        for (place, number) in [(1, "2"), (2, "1")] {
            let run = format!("#runs article:nth-of-type({place})");
            let title = format!("{} {number}", self.translate("Run", "Ejecución"));
            assert_eq!(self.tab.text(&format!("{run} h2")), title);
            self.until_text(&format!("{run} header .chip"), "Completed", "Completada");
            self.until_text(&format!("{run} tbody tr:nth-child(1)"), "Reading", "Lectura");
            self.until_text(&format!("{run} tbody tr:nth-child(2)"), "Interpretation", "Interpretación");
            self.until_text(&format!("{run} tbody tr:nth-child(2) .chip"), "Done", "Hecho");
        }
        self.take_screenshot("runs");
    }

    /// Checks the operations page of a server with one day of metrics.
    pub(super) async fn check_operations(&mut self) {
        self.env.store.metrics.add(&one_day_of_metrics()).await.unwrap();
        self.tab.set_color_scheme("dark");
        self.tab.click("nav a[href='/app/operations']");
        self.until_page("Operations", "Operaciones");
        self.until_text(".metrics", "Completed in the last hour", "Completadas en la última hora");
        let completed = self.tab.text(".metrics .card:nth-child(3) dd");
        assert!(completed.parse::<u32>().unwrap() > 100, "{completed}");
        self.until_text("main", "holds the database file", "tiene el archivo de la base de datos");
        self.take_screenshot("operations");
    }
}

/// Metrics of the last day, minute by minute, with busy and quiet hours and a few failures.
fn one_day_of_metrics() -> Vec<MinuteMetrics> {
    let now = Timestamp::from_second(Timestamp::now().as_second() / 60 * 60).unwrap();
    let minute = |ago: u32| {
        let at = now - SignedDuration::from_mins(i64::from(ago));
        let rush = if ago % 480 < 200 { 2 } else { 1 };
        let completed = u64::from(rush * (6 + ago * 7 % 11));
        MinuteMetrics {
            completed,
            failed: u64::from(ago % 23 == 5),
            duration_ms: completed * 420,
            queued: u64::from(rush * rush * (ago * 5 % 13)),
            ..MinuteMetrics::empty(at, Pipeline::Document)
        }
    };
    (0..24 * 60).map(minute).collect()
}
