//! The pages that explain error codes.

use crate::program::Cli;

/// Proves R074 for the explanation of a code.
#[test]
fn every_error_code_has_a_page_and_is_listed() {
    let cli = Cli::new();
    let server = cli.serve();
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
        let response = server.get(&format!("/errors/{unknown}"));
        assert!(
            response.status == 404 && response.body.contains("\"NOT_FOUND\""),
            "{unknown}: {}",
            response.body
        );
    }
}
