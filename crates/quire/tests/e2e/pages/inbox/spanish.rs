//! The same in Spanish.

use super::{inbox, names};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_speaks_spanish_wherever_it_speaks() {
    let scene = TestEnv::on_sqlite(&[("QUIRE_SERVER_LANGUAGE", "es")]);
    let server = scene.cli.serve();
    let mut tab = inbox(&server, "/app");
    tab.until_text("#nothing-yet", "Todavía no hay documentos");
    tab.click("#try-sample");
    tab.until_text("#uploads-summary", "1 de 1 recibidos");
    tab.until_text("#rows .chip.ready", "Listo");
    assert_eq!(
        (names(&mut tab), tab.text("#total")),
        (vec!["historia-luna.pdf".to_owned()], "1 documento".to_owned())
    );
    tab.press("j");
    tab.press("x");
    tab.until_text("#selected", "1 seleccionado");
    tab.press("r");
    tab.until_text("#reprocess-text", "Se volverá a procesar 1 documento");
    tab.press("Escape");
    tab.until("!document.getElementById('reprocess').open");
    tab.press("?");
    tab.until_text("#shortcuts", "Atajos de teclado");
}
