//! Back in the list: the document is found, processed again, and what was done with it is read.

use jiff::{SignedDuration, Timestamp};
use quire_domain::{DocumentId, Pipeline};
use quire_ports::MinuteMetrics;

use super::Day;
use crate::pages::inbox::until_names;
use crate::test_env::wait_until;

impl Day {
    /// Finds it by what was corrected in it, and by its name.
    pub(super) fn finds_it_again(&mut self) {
        self.tab.click("nav a[href='/app']");
        self.arrives_at("Documents", "Documentos");
        self.sees("#rows .chip.reviewed", "Reviewed", "Revisado");
        self.keeps_a_picture("inbox");
        self.tab.press("/");
        self.searches("ANGORA");
        until_names(&mut self.tab, &["luna.pdf"]);
        self.searches("nobody");
        self.sees("#nothing-found h2", "Nothing found", "No se ha encontrado nada");
        self.searches("luna.pdf");
        until_names(&mut self.tab, &["luna.pdf"]);
        self.sees("#total", "1 document", "1 documento");
    }

    fn searches(&mut self, text: &str) {
        self.tab.press("Control+a");
        self.tab.type_text(text);
        self.tab.until(&format!("location.search === '?q={text}'"));
    }

    /// Selects what was found and has it processed again, once its number was said.
    pub(super) async fn has_it_processed_again(&mut self, document: DocumentId) {
        self.tab.click("#rows .pick input");
        self.sees("#selected", "1 selected", "1 seleccionado");
        self.tab.click("#reprocess-selected");
        self.sees(
            "#reprocess-text",
            "1 document will be processed again. What",
            "Se volverá a procesar 1 documento. Lo",
        );
        self.tab.click("#reprocess-start");
        self.sees("#reprocess-cancel", "Close", "Cerrar");
        self.tab.click("#reprocess-cancel");
        wait_until(async || self.scene.runs_of(document).await.len() == 2).await;
        self.scene.wait_for_all_runs(document).await;
    }

    /// Two runs, the newest first, with all their steps.
    pub(super) fn reads_its_timeline(&mut self) {
        let document = self.opens("luna.pdf");
        self.tab.click(&format!("a[href='/app/documents/{document}/runs']"));
        self.arrives_at("What was done", "Qué se ha hecho");
        assert_eq!(self.tab.count("#runs article"), 2);
        for (place, number) in [(1, "2"), (2, "1")] {
            let run = format!("#runs article:nth-of-type({place})");
            let title = format!("{} {number}", self.say("Run", "Ejecución"));
            assert_eq!(self.tab.text(&format!("{run} h2")), title);
            self.sees(&format!("{run} header .chip"), "Completed", "Completado");
            self.sees(&format!("{run} tbody tr:nth-child(1)"), "Reading", "Lectura");
            self.sees(&format!("{run} tbody tr:nth-child(2)"), "Understanding", "Comprensión");
            self.sees(&format!("{run} tbody tr:nth-child(2) .chip"), "Done", "Hecho");
        }
        self.keeps_a_picture("runs");
    }

    /// Looks how the work went, on a machine that has been busy for a day.
    pub(super) async fn looks_at_operations(&mut self) {
        self.scene.store.metrics.add(&a_busy_day()).await.unwrap();
        self.tab.like("dark");
        self.tab.click("nav a[href='/app/operations']");
        self.arrives_at("Operations", "Operaciones");
        self.sees(".figures", "Completed in the last hour", "Completados en la última hora");
        let completed = self.tab.text(".figures .card:nth-child(3) dd");
        assert!(completed.parse::<u32>().unwrap() > 100, "{completed}");
        self.sees("main", "holds the database file", "tiene el archivo de la base de datos");
        self.keeps_a_picture("operations");
    }
}

/// Figures of the last day, minute by minute: more during some hours than during others, and failures now and then.
fn a_busy_day() -> Vec<MinuteMetrics> {
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
