//! Documents with pages that cannot be read are understood from the others.

use quire_domain::DocumentId;
use quire_testkit::documents::record_with_broken_page;
use serde_json::{Value, json};

use super::ocr::mixed;
use crate::program::TestServer;
use crate::record::{active_data, field, review};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    a_document_with_a_page_that_breaks_its_parser_is_understood_from_the_others,
    a_scanned_page_without_tesseract_is_named_and_the_others_are_read with super::WITHOUT_TESSERACT,
}

const WITHOUT_TESSERACT: [(&str, &str); 1] = [("QUIRE_READING_OCR_PROGRAM", "/nonexistent/tesseract")];

async fn process(env: &TestEnv, server: &TestServer, file: &[u8]) -> DocumentId {
    let id = Form::file("record.pdf", file).send(server, "/documents/upload").document_id();
    env.wait_until_completed(id).await;
    id
}

/// The unread pages as the API shows them: number and error code.
fn unread(server: &TestServer, id: DocumentId) -> Vec<(usize, Value)> {
    let pages = server.json(&format!("/documents/{id}/pages"))["pages"].take();
    let unread = pages.as_array().unwrap().iter().filter(|page| !page["unread"].is_null());
    let listed: Vec<(usize, Value)> = unread
        .map(|page| {
            (usize::try_from(page["page"].as_u64().unwrap()).unwrap(), page["unread"]["error_code"].clone())
        })
        .collect();
    let notices = review(server, id)["page_notices"].take();
    let reviewed = notices.as_array().unwrap().iter();
    let reviewed: Vec<Value> = reviewed.map(|notice| notice["unread"]["error_code"].clone()).collect();
    assert_eq!(reviewed, listed.iter().map(|(_, code)| code.clone()).collect::<Vec<_>>());
    let html = server.get(&format!("/app/documents/{id}")).body;
    for (page, code) in &listed {
        assert!(html.contains(&format!("data-unread=\"{page}\"")) && html.contains(code.as_str().unwrap()));
    }
    listed
}

async fn a_document_with_a_page_that_breaks_its_parser_is_understood_from_the_others(env: &TestEnv) {
    let server = env.cli.serve();
    let id = process(env, &server, &record_with_broken_page()).await;
    let data = active_data(&server, id);
    assert_eq!(field(&data, "pet_name")["value"], "Luna");
    assert_eq!(field(&data, "diagnosis")["evidence"]["page"], 3, "the page after the broken one: {data}");
    assert_eq!(unread(&server, id), [(2, json!("PARSER_MEMORY"))]);
    drop(server);
}

async fn a_scanned_page_without_tesseract_is_named_and_the_others_are_read(env: &TestEnv) {
    let server = env.cli.serve();
    let id = process(env, &server, &mixed()).await;
    assert_eq!(unread(&server, id), [(2, json!("OCR_NOT_AVAILABLE"))]);
    let message = server.json(&format!("/documents/{id}/pages"))["pages"][1]["unread"]["message"].take();
    assert!(message.as_str().unwrap().contains("apt-get install tesseract-ocr"), "{message}");
    drop(server);
}
