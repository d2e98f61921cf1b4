//! The inbox, used as a person uses it.

mod breaking_off;
mod finding;
mod keyboard;
mod many;
mod queue;
mod restart;
mod roles;
mod spanish;
mod uploading;

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use quire_testkit::documents::{Pdf, text_page};

use crate::program::TestServer;
use crate::test_env::TestEnv;
use crate::uploads::form::Form;

/// A record of this patient.
pub(super) fn record(patient: &str) -> Vec<u8> {
    let lines = [
        "Historia clínica del paciente atendido en la consulta",
        &format!("Paciente: {patient}"),
        "Especie: Canina",
        "Visita: 01/02/2024",
        "Motivo: revisión anual de la mascota",
        "Diagnóstico: otitis externa",
    ];
    Pdf::of_pages(&[text_page(&lines)]).file()
}

/// Records of these patients, uploaded by a program and understood.
async fn understood(scene: &TestEnv, server: &TestServer, patients: &[&str]) -> Vec<DocumentId> {
    let mut ids = Vec::new();
    for patient in patients {
        let id = Form::file(&format!("{patient}.pdf"), &record(patient))
            .send(server, "/documents/upload")
            .document_id();
        assert_eq!(scene.wait_for_latest_run(id).await.state.as_str(), "COMPLETED");
        ids.push(id);
    }
    ids
}

/// The inbox in a browser. What is remembered of the page would be gone if it were loaded again.
fn inbox(server: &TestServer, path: &str) -> Tab {
    let mut tab = Tab::open(&server.address);
    tab.go(path);
    tab.eval("window.isSame = true; true");
    tab
}

fn is_same_page(tab: &mut Tab) -> bool {
    tab.eval("window.isSame === true") == true
}

/// The names in the list, from above.
fn names(tab: &mut Tab) -> Vec<String> {
    let names = tab.eval("[...document.querySelectorAll('#rows a.name')].map((a) => a.textContent)");
    names.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Looks until the list has these names.
pub(super) fn until_names(tab: &mut Tab, expected: &[&str]) {
    let expected = serde_json::json!(expected.join(","));
    tab.until(&format!(
        "[...document.querySelectorAll('#rows a.name')].map((a) => a.textContent).join() === {expected}"
    ));
}
