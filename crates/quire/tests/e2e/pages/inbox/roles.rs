//! Pages show only what a role allows.

use crate::http::text;
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_gets_no_controls_of_operators() {
    let env = TestEnv::on_sqlite(&[]);
    let (reader, operator) =
        (env.create_key("reader", "read"), env.create_key("operator", "read,operate,export"));
    let server = env.cli.serve();
    for (key, operates) in [(&reader, false), (&operator, true)] {
        let page = server.send("GET /app", key, "").map(text);
        assert_eq!(page.status, 200);
        for control in
            ["choose-files", "scripts/inbox/upload.js", "reprocess-all", "try-sample", "select-all"]
        {
            assert_eq!(page.body.contains(control), operates, "{control}");
        }
        assert_eq!(page.body.contains("data-export"), operates, "exports have a role of their own");
    }
    assert_eq!(server.send("GET /app/rows?ids=1", &reader, "").status, 400);
    assert_eq!(server.send("GET /app/rows", "", "").status, 401);
}
