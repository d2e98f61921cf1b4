//! The pages that explain errors, as a browser gets them.

use crate::program::Quire;

/// Proves R074 for those who want to know more.
#[test]
fn each_code_has_a_page_and_all_are_listed() {
    let quire = Quire::new();
    let server = quire.serve();
    let list = server.get("/errors");
    assert_eq!(list.status, 200);
    assert!(list.head.contains("content-type: text/html; charset=utf-8"), "{}", list.head);
    let codes: Vec<_> =
        list.body.split("href=\"/errors/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(codes.contains(&"RAW_TEXT_NOT_READY") && codes.contains(&"PARSER_TIMEOUT"), "{codes:?}");
    for code in codes {
        let page = server.get(&format!("/errors/{code}"));
        assert_eq!(page.status, 200, "{code}");
    }
    let page = server.get("/errors/CONFLICT.md");
    assert!(page.status == 200 && page.body.contains("<h1>CONFLICT</h1>"), "{}", page.body);
    assert!(server.get("/errors/style.css").head.contains("content-type: text/css"));
    for unknown in ["NO_SUCH_CODE", "conflict", "%FF", "..%2f..%2fREADME"] {
        let answer = server.get(&format!("/errors/{unknown}"));
        assert!(answer.status == 404 && answer.body.contains("\"NOT_FOUND\""), "{unknown}: {}", answer.body);
    }
}
