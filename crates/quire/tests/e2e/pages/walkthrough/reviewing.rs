//! Correcting and reviewing a document while another person edits it too.

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::json;

use super::Walkthrough;
use crate::pages::review::{assert_box_covers_words, pick, row, show, shown, type_into, until_marked, value};
use crate::record::review;

impl Walkthrough {
    /// Selects a field and checks its box on the second page.
    pub(super) fn check_evidence(&mut self, document: DocumentId) {
        self.until_text("#form-head .chip.ready", "Ready", "Listo");
        self.until_text(".section h2", "Patient", "Paciente");
        let stored = self.stored(document);
        pick(&mut self.tab, "vet_name");
        assert_box_covers_words(&mut self.tab, &stored, "vet_name", 2);
        self.until_text(&format!("{} .snippet", row("vet_name")), "page 2", "página 2");
        assert_eq!(self.tab.text("#page-number"), "2");
    }

    /// Uses the first candidate of a field with the key 1.
    pub(super) fn use_candidate(&mut self, document: DocumentId) {
        pick(&mut self.tab, "species");
        assert_eq!(shown(&mut self.tab, "species"), "—");
        let candidate = self.tab.text(&format!("{} .candidate span", row("species")));
        let stored = self.stored(document);
        assert_box_covers_words(&mut self.tab, &stored, "species", 1);
        self.take_screenshot("review");
        self.tab.press("1");
        self.until_saved(2);
        assert_eq!(value(&self.stored(document), "species"), json!(candidate));
        self.until_text(
            &format!("{} .edited", row("species")),
            "Edited by a person",
            "Editado por una persona",
        );
    }

    pub(super) fn edit_field(&mut self, document: DocumentId) {
        type_into(&mut self.tab, "breed", "Enano holandés");
        self.until_text(".editor [data-save]", "Save", "Guardar");
        self.tab.click(".editor [data-save]");
        self.until_saved(3);
        assert_eq!(value(&self.stored(document), "breed"), "Enano holandés");
        assert_eq!(shown(&mut self.tab, "breed"), "Enano holandés");
    }

    /// Another person saves two fields while one of them is being edited here. No value is lost.
    pub(super) fn resolve_conflict(&mut self, document: DocumentId) {
        let mut theirs = Tab::open(&self.server.address);
        theirs.set_language(self.translate("en-GB", "es-ES"));
        show(&mut theirs, document);
        type_into(&mut self.tab, "breed", "Angora");
        for (number, (key, text)) in (4..).zip([("notes", "Llamar el lunes"), ("breed", "Rex")]) {
            type_into(&mut theirs, key, text);
            theirs.press("Enter");
            let saved = self.translate("Saved, version", "Guardado, versión");
            theirs.until_text("#save-status", &format!("{saved} {number}"));
        }
        self.until_text("#save-status", "There is a newer version", "Hay una versión más nueva");
        self.until_conflict_dialog();
        self.tab.press("Escape");
        self.tab.until("!document.querySelector('#conflict-dialog').open");
        assert_eq!(
            self.tab.eval("document.querySelector('.editor input').value"),
            "Angora",
            "the typed text stays"
        );
        assert_eq!(
            value(&self.stored(document), "breed"),
            "Rex",
            "nothing is saved before the person chooses"
        );
        self.until_conflict_dialog();
        self.take_screenshot("conflict");
        self.tab.click("#conflict-dialog [data-save]");
        self.until_saved(6);
        let stored = self.stored(document);
        assert_eq!(
            (value(&stored, "breed"), value(&stored, "notes")),
            (json!("Angora"), json!("Llamar el lunes"))
        );
        assert_eq!(shown(&mut self.tab, "notes"), "Llamar el lunes");
        theirs.until("document.querySelector('[data-key=breed] .value').textContent === 'Angora'");
        self.tab.press("h");
        self.until_text("#history-dialog h2", "History: Breed", "Historial: Raza");
        for (old, new) in [("Belier", "Enano holandés"), ("Enano holandés", "Rex"), ("Rex", "Angora")] {
            self.tab.until_text("#history-dialog del", old);
            self.tab.until_text("#history-dialog ins", new);
        }
        self.tab.press("Escape");
        self.tab.until("!document.querySelector('#history-dialog').open");
    }

    /// Saves the edit and waits for the conflict dialog, which shows all three values.
    fn until_conflict_dialog(&mut self) {
        self.tab.press("Enter");
        self.until_text(
            "#conflict-dialog h2",
            "Another person changed this field",
            "Otra persona ha cambiado este campo",
        );
        self.until_text(
            "#conflict-dialog thead",
            "FieldBeforeMy valueCurrent value",
            "CampoAntesMi valorValor actual",
        );
        let title = self.translate("Breed", "Raza");
        for text in [title, "Enano holandés", "Angora", "Rex"] {
            self.tab.until_text("#conflict-dialog tbody", text);
        }
        self.until_text(
            "#conflict-dialog [data-others]",
            "1 other field was changed as well. That change is kept.",
            "También se ha cambiado 1 campo más. Ese cambio se conserva.",
        );
    }

    pub(super) fn mark_reviewed(&mut self, document: DocumentId) {
        self.until_text("#mark", "Mark as reviewed", "Marcar como revisado");
        self.tab.click("#mark");
        until_marked(&mut self.tab);
        self.until_text("#form-head .chip.reviewed", "Reviewed", "Revisado");
        self.until_text("#save-status", "Marked as reviewed", "Marcado como revisado");
        assert_eq!(review(&self.server, document)["review_status"], "REVIEWED");
    }
}
