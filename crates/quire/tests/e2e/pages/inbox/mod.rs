//! The inbox.

mod interrupted_uploads;
mod keyboard;
mod long_lists;
mod restart;
mod review_queue;
mod roles;
mod search;
mod spanish;
mod uploading;

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use quire_testkit::documents::{Pdf, text_page};

use crate::program::TestServer;
use crate::test_env::TestEnv;
use crate::uploads::form::Form;

/// A clinical record of that patient.
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

/// Uploads a record for each patient over HTTP and waits until they are processed.
pub(super) async fn understood(env: &TestEnv, server: &TestServer, patients: &[&str]) -> Vec<DocumentId> {
    let mut ids = Vec::new();
    for patient in patients {
        let id = Form::file(&format!("{patient}.pdf"), &record(patient))
            .send(server, "/documents/upload")
            .document_id();
        assert_eq!(env.wait_for_latest_run(id).await.state.as_str(), "COMPLETED");
        ids.push(id);
    }
    ids
}

/// Opens the inbox and marks the page, so that `is_same_page` notices a reload.
fn inbox(server: &TestServer, path: &str) -> Tab {
    let mut tab = Tab::open(&server.address);
    tab.go(path);
    tab.eval("window.isSamePage = true; true");
    tab
}

fn is_same_page(tab: &mut Tab) -> bool {
    tab.eval("window.isSamePage === true") == true
}

/// The names in the list, from top to bottom.
fn names(tab: &mut Tab) -> Vec<String> {
    let names = tab.eval("[...document.querySelectorAll('#rows a.name')].map((a) => a.textContent)");
    names.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

/// Waits until the list has exactly these names.
pub(super) fn until_names(tab: &mut Tab, expected: &[&str]) {
    let expected = serde_json::json!(expected.join(","));
    tab.until(&format!(
        "[...document.querySelectorAll('#rows a.name')].map((a) => a.textContent).join() === {expected}"
    ));
}
