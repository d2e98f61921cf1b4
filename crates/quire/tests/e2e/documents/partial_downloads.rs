//! Parts of originals, and originals that the client has already.

use crate::http::Response;
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::send_file;

on_both_stores! {
    an_original_is_sent_in_parts_and_only_if_it_is_new with [("QUIRE_UPLOADS_PROCESSING", "false")],
}

async fn an_original_is_sent_in_parts_and_only_if_it_is_new(env: &TestEnv) {
    let server = env.cli.serve();
    let file: Vec<u8> =
        (0..100_000_u32).flat_map(|number| format!("línea {number}\n").into_bytes()).collect();
    let document = send_file(&server, "a.txt", &file, "").document_id();
    let get = |headers: &str| -> Response<Vec<u8>> {
        server.send(&format!("GET /documents/{document}/download"), headers, "")
    };
    let whole = get("");
    assert_eq!((whole.status, whole.body == file), (200, true));
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    let tag = whole.header("etag").unwrap().to_owned();
    let size = file.len();
    for (range, from, to) in [
        ("bytes=0-99", 0, 100),
        ("bytes=300000-900000", 300_000, 900_001),
        ("bytes=-10", size - 10, size),
        ("bytes=5-", 5, size),
    ] {
        let part = get(&format!("Range: {range}\r\nIf-Range: {tag}\r\n"));
        assert_eq!((part.status, part.body == file[from..to]), (206, true), "{range}");
        let expected = format!("bytes {from}-{}/{size}", to - 1);
        assert_eq!(part.header("content-range"), Some(expected.as_str()));
        assert_eq!(part.header("content-length"), Some((to - from).to_string().as_str()));
    }
    let other = get("Range: bytes=0-9\r\nIf-Range: \"another file\"\r\n");
    assert_eq!((other.status, other.body.len()), (200, size), "another file is sent whole");
    let outside = get(&format!("Range: bytes={size}-\r\n"));
    assert_eq!((outside.status, outside.error_code().as_str()), (416, "RANGE_NOT_SATISFIABLE"));
    assert_eq!(outside.header("content-range"), Some(format!("bytes */{size}").as_str()));
    let known = get(&format!("If-None-Match: {tag}\r\n"));
    assert_eq!((known.status, known.body.len()), (304, 0));
    assert_eq!(known.header("etag"), Some(tag.as_str()));
}
