//! Queries that try to break the search get a response or a clear refusal.

use serde_json::json;

use super::encoded;
use crate::record::process_record;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    every_query_gets_results_or_a_clear_refusal,
}

async fn every_query_gets_results_or_a_clear_refusal(env: &TestEnv) {
    let server = env.cli.serve();
    process_record(env, &server).await;
    let long = "palabra ".repeat(800);
    let many = "a ".repeat(60);
    let nested = format!("{}otitis{}", "(".repeat(900), ")".repeat(900));
    let phrase = format!("\"{}\"", "a ".repeat(990));
    let prefixes = "vacun* ".repeat(20);
    for (query, status) in [
        ("\"otitis", 200),
        ("otitis\" AND \"x", 200),
        ("' OR 1=1; DROP TABLE documents; --", 200),
        ("otitis AND NOT (luna OR *) NEAR/3 words:x ^a {b c}", 200),
        ("a & b | !c <-> d:*", 200),
        ("(a+)+$ .* [^x]{1,99999}", 200),
        ("\u{200B}\u{FEFF}\u{202E}", 200),
        ("耳炎 التهاب ушной 귀 หู अाँख 👂🏽 é\u{301}\u{301}\u{301}", 200),
        ("\0\u{1}\u{7f}", 200),
        ("%_\\ ?1 $1 :x @y", 200),
        ("-", 200),
        ("*", 200),
        ("-otitis", 200),
        (&nested, 200),
        (&"x".repeat(2_000), 200),
        (&"\u{20000}".repeat(2_000), 200),
        (&"x".repeat(10_000), 400),
        (&long, 400),
        (&many, 200),
        (&phrase, 400),
        (&prefixes, 400),
        (&"a* b* lu* ".repeat(13), 200),
        ("status:done", 400),
        ("species:", 400),
        ("visit_date:>soon", 400),
    ] {
        let encoded = encoded(query);
        for path in ["/search?facets=false&q=", "/search?typing=true&q="] {
            let response = server.get(&format!("{path}{encoded}"));
            assert_eq!(response.status, status, "{query}: {}", response.body);
            let response = response.map(|body| serde_json::from_str::<serde_json::Value>(&body).unwrap());
            if status == 400 {
                assert_eq!(response.body["error_code"], json!("INVALID_REQUEST"));
                assert!(response.body["message"].as_str().unwrap().starts_with("q: "), "{}", response.body);
            }
        }
    }
    // The filter of the list has no limits of its own to refuse, and looks for as much as a search.
    for query in ["a b c d e f g h i j ".repeat(9), "otitis ".repeat(25), "\"otitis externa".to_owned()] {
        assert_eq!(server.get(&format!("/documents?q={}", encoded(&query))).status, 200, "{query}");
    }
    // The head of a request has a limit, whatever it asks for.
    assert_eq!(server.get(&format!("/search?q={}", "x".repeat(100_000))).status, 431);
    assert_eq!(server.json("/search?q=otitis")["total"], 1, "the index is whole");
}
