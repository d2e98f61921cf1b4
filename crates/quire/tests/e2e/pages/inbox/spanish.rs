//! The inbox in Spanish.

use quire_testkit::browser::Tab;

use super::{inbox, names};
use crate::pages::review::{show, type_into};
use crate::reading::ocr::scan;
use crate::record::process_record;
use crate::review::edit::blocking_tesseract;
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_is_in_spanish() {
    let env = TestEnv::on_sqlite(&[("QUIRE_SERVER_LANGUAGE", "es")]);
    let server = env.cli.serve();
    let mut tab = inbox(&server, "/app");
    tab.until_text("#no-documents", "Todavía no hay documentos");
    tab.click("#try-sample");
    tab.until_text("#uploads-summary", "1 de 1 subidos");
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

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_upload_and_a_refused_edit_show_a_spanish_message() {
    let env = TestEnv::on_sqlite(&[("QUIRE_SERVER_LANGUAGE", "es"), ("QUIRE_UPLOADS_MAX_MB", "1")]);
    let release_ocr = blocking_tesseract(&env);
    let server = env.cli.serve();
    env.cli.write("picture.gif", "GIF89a");
    env.cli.write("large.pdf", &"x".repeat(2 << 20));
    let mut tab = inbox(&server, "/app");
    for (file, message) in [
        ("picture.gif", "Tipo de archivo no admitido."),
        ("large.pdf", "El archivo es demasiado grande: el límite es de 1 MB."),
    ] {
        tab.until_seen("#dropzone");
        tab.choose_files("#files", &[&env.cli.path(file)]);
        tab.until_text("#uploads li.refused .outcome", message);
    }

    // The document is being processed again, and waits for a text recognition that does not end.
    let (document, _) = process_record(&env, &server).await;
    let mut review = Tab::open(&server.address);
    show(&mut review, document);
    type_into(&mut review, "pet_name", "Nube");
    env.replace_original(document, &scan()).await;
    let reprocessed = server.send(&format!("POST /documents/{document}/reprocess"), "", "").json();
    let run = reprocessed["run_id"].as_str().unwrap().parse().unwrap();
    env.wait_until_running(run, true).await;
    review.press("Enter");
    review.until_text(".editor [data-message]", "El documento se está procesando.");
    assert_eq!(review.eval("document.querySelector('.editor input').value"), "Nube");
    release_ocr();
    env.wait_until_running(run, false).await;
}
