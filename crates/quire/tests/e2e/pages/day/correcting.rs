//! What was found is compared with the page, corrected, and signed off, while somebody else works on the same document.

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::json;

use super::Day;
use crate::pages::review::{pick, row, show, shown, stands_on_its_words, type_into, value};
use crate::record::review;

impl Day {
    /// Selects a field of the second page and sees its box there.
    pub(super) fn looks_at_evidence(&mut self, document: DocumentId) {
        self.sees("#panel-head .chip.ready", "Ready", "Listo");
        self.sees(".section h2", "Patient", "Paciente");
        let stored = self.stored(document);
        pick(&mut self.tab, "vet_name");
        stands_on_its_words(&mut self.tab, &stored, "vet_name", 2);
        self.sees(&format!("{} .snippet", row("vet_name")), "page 2", "página 2");
        assert_eq!(self.tab.text("#page-number"), "2");
    }

    /// Takes what was found but not trusted, with one key.
    pub(super) fn takes_a_candidate(&mut self, document: DocumentId) {
        pick(&mut self.tab, "species");
        assert_eq!(shown(&mut self.tab, "species"), "—");
        let candidate = self.tab.text(&format!("{} .candidate span", row("species")));
        let stored = self.stored(document);
        stands_on_its_words(&mut self.tab, &stored, "species", 1);
        self.keeps_a_picture("review");
        self.tab.press("1");
        self.is_told_of_version(2);
        assert_eq!(value(&self.stored(document), "species"), json!(candidate));
        self.sees(&format!("{} .edited", row("species")), "Edited by a person", "Editado por una persona");
    }

    pub(super) fn edits_a_field(&mut self, document: DocumentId) {
        type_into(&mut self.tab, "breed", "Enano holandés");
        self.sees(".editor [data-save]", "Save", "Guardar");
        self.tab.click(".editor [data-save]");
        self.is_told_of_version(3);
        assert_eq!(value(&self.stored(document), "breed"), "Enano holandés");
        assert_eq!(shown(&mut self.tab, "breed"), "Enano holandés");
    }

    /// Somebody in another browser saves two fields while one of them is being edited here. Nothing of it is lost.
    pub(super) fn meets_somebody_faster(&mut self, document: DocumentId) {
        let mut theirs = Tab::open(&self.server.address);
        theirs.speak(self.say("en-GB", "es-ES"));
        show(&mut theirs, document);
        type_into(&mut self.tab, "breed", "Angora");
        for (number, (key, text)) in (4..).zip([("notes", "Llamar el lunes"), ("breed", "Rex")]) {
            type_into(&mut theirs, key, text);
            theirs.press("Enter");
            let saved = self.say("Saved, version", "Guardado, versión");
            theirs.until_text("#said", &format!("{saved} {number}"));
        }
        self.sees(
            "#said",
            "Somebody else has saved a newer version",
            "Otra persona ha guardado una versión más nueva",
        );
        self.is_asked_which_breed();
        self.tab.press("Escape");
        self.tab.until("!document.querySelector('#conflict-dialog').open");
        assert_eq!(self.tab.eval("document.querySelector('.editor input').value"), "Angora", "it stays");
        assert_eq!(value(&self.stored(document), "breed"), "Rex", "nothing is saved without an answer");
        self.is_asked_which_breed();
        self.keeps_a_picture("conflict");
        self.tab.click("#conflict-dialog [data-save]");
        self.is_told_of_version(6);
        let stored = self.stored(document);
        assert_eq!(
            (value(&stored, "breed"), value(&stored, "notes")),
            (json!("Angora"), json!("Llamar el lunes"))
        );
        assert_eq!(shown(&mut self.tab, "notes"), "Llamar el lunes");
        theirs.until("document.querySelector('[data-key=breed] .value').textContent === 'Angora'");
        self.tab.press("h");
        self.sees("#history-dialog h2", "History: Breed", "Historial: Raza");
        for (old, new) in [("Belier", "Enano holandés"), ("Enano holandés", "Rex"), ("Rex", "Angora")] {
            self.tab.until_text("#history-dialog del", old);
            self.tab.until_text("#history-dialog ins", new);
        }
        self.tab.press("Escape");
        self.tab.until("!document.querySelector('#history-dialog').open");
    }

    /// Saves what is being edited, and is asked: all that anybody wrote is there to choose from.
    fn is_asked_which_breed(&mut self) {
        self.tab.press("Enter");
        self.sees("#conflict-dialog h2", "Somebody else was faster", "Otra persona se ha adelantado");
        self.sees("#conflict-dialog thead", "FieldWasMineTheirs", "CampoAntesLo míoLo de la otra persona");
        let title = self.say("Breed", "Raza");
        for said in [title, "Enano holandés", "Angora", "Rex"] {
            self.tab.until_text("#conflict-dialog tbody", said);
        }
        self.sees(
            "#conflict-dialog [data-others]",
            "1 other field was changed meanwhile; that stays.",
            "Entretanto se ha cambiado 1 campo más; eso queda.",
        );
    }

    pub(super) fn marks_it_as_reviewed(&mut self, document: DocumentId) {
        self.sees("#mark", "Mark as reviewed", "Marcar como revisado");
        self.tab.click("#mark");
        self.sees("#panel-head .chip.reviewed", "Reviewed", "Revisado");
        self.sees("#said", "Marked as reviewed", "Marcado como revisado");
        assert_eq!(review(&self.server, document)["review_status"], "REVIEWED");
    }
}
