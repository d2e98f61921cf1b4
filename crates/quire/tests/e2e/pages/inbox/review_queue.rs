//! The review queue: documents sorted by confidence.

use quire_testkit::documents::{Pdf, text_page};

use super::{inbox, is_same_page, understood, until_names};
use crate::record::mark_reviewed;
use crate::test_env::TestEnv;
use crate::uploads::form::Form;

/// A text without any field of the schema.
const VAGUE: [&str; 4] = [
    "En esta hoja se habla del tiempo que hizo durante el verano pasado en la montaña.",
    "Por la mañana hacía fresco y por la tarde llovía casi todos los días de la semana.",
    "Nadie recuerda un mes de agosto con tantas nubes y con tan poco calor en el valle.",
    "Los vecinos esperan que el año que viene sea un poco mejor que este para todos.",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_starts_with_the_lowest_confidence_and_drops_reviewed_documents() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let file = Pdf::of_pages(&[text_page(&VAGUE)]).file();
    let vague = Form::file("vague.pdf", &file).send(&server, "/documents/upload").document_id();
    assert_eq!(env.wait_for_latest_run(vague).await.state.as_str(), "COMPLETED");
    let luna = understood(&env, &server, &["Luna"]).await[0];
    let mut tab = inbox(&server, "/app");
    until_names(&mut tab, &["Luna.pdf", "vague.pdf"]);
    tab.until_text("#rows tr[data-id] .confidence", "Low");
    tab.eval("document.querySelector('[name=sort][value=least_certain]').click(); true");
    until_names(&mut tab, &["vague.pdf", "Luna.pdf"]);
    assert_eq!(tab.eval("location.search"), "?sort=least_certain");
    assert_eq!(tab.eval("document.getElementById('q').disabled"), true, "the queue takes no filters");
    assert_eq!(
        tab.eval("document.querySelector('.tools').hidden"),
        true,
        "the queue has no export and no reprocessing"
    );
    assert_eq!(tab.text("#total"), "2 documents");
    assert_eq!(mark_reviewed(&server, luna).status, 200);
    until_names(&mut tab, &["vague.pdf"]);
    tab.until_text("#total", "1 document");
    tab.eval("history.back(); true");
    until_names(&mut tab, &["Luna.pdf", "vague.pdf"]);
    assert_eq!(tab.eval("document.getElementById('q').disabled"), false);
    assert_eq!(tab.eval("document.querySelector('.tools').hidden"), false);
    assert!(is_same_page(&mut tab));
}
