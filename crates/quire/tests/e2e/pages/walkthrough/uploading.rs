//! Uploading documents and opening one of them.

use std::path::Path;

use quire_domain::DocumentId;
use quire_testkit::documents::{case_history, clinical_record};

use super::Walkthrough;
use crate::pages::inbox::record;

impl Walkthrough {
    /// Drops four files on the page and waits until each is processed.
    pub(super) fn upload_documents(&mut self) {
        let files = [
            ("luna.pdf", case_history()),
            ("nube.pdf", record("Nube")),
            ("sol.pdf", record("Sol")),
            ("vacío.pdf", clinical_record(0)),
        ];
        let paths = files.map(|(name, file)| {
            let path = self.env.cli.path(name);
            std::fs::write(&path, file).unwrap();
            path
        });
        self.tab.go("/");
        self.until_page("Documents", "Documentos");
        self.until_text("#no-documents", "No documents yet", "Todavía no hay documentos");
        self.tab.drop_files("main", &paths.each_ref().map(Path::new));
        self.until_text("#uploads-summary", "4 of 4 uploaded", "4 de 4 subidos");
        self.tab.until("document.querySelectorAll('#rows .chip.ready').length === 3");
        self.until_text("#rows .chip.ready", "Ready", "Listo");
        self.tab.until_seen("#rows .chip.error");
        self.until_text(
            "#rows .error .detail",
            "The text could not be read.",
            "No se ha podido leer el texto.",
        );
        self.until_text("#total", "4 documents", "4 documentos");
    }

    /// Opens a document from the list.
    pub(super) fn open(&mut self, name: &str) -> DocumentId {
        // One script finds and clicks the link: a live update may replace the row between two commands.
        let link = format!("document.querySelector(\"#rows a.name[title='{name}']\")");
        self.tab.until(&format!("{link} !== null"));
        self.tab.eval(&format!("{link}.click()"));
        self.tab.until(
            "location.pathname.startsWith('/app/documents/') && document.documentElement.dataset.ready",
        );
        assert_eq!(self.tab.text("h1"), name);
        let place = self.tab.eval("location.pathname");
        place.as_str().unwrap().rsplit('/').next().unwrap().parse().unwrap()
    }
}
