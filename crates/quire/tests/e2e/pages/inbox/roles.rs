//! What somebody may not do is not offered to them.

use crate::http::text;
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn who_may_only_look_is_offered_nothing_else() {
    let scene = TestEnv::on_sqlite(&[]);
    let (reader, operator) =
        (scene.create_key("reader", "read"), scene.create_key("operator", "read,operate"));
    let server = scene.cli.serve();
    for (key, operates) in [(&reader, false), (&operator, true)] {
        let page = server.send("GET /app", key, "").map(text);
        assert_eq!(page.status, 200);
        for offer in ["choose-files", "scripts/inbox/upload.js", "reprocess-all", "try-sample", "select-all"]
        {
            assert_eq!(page.body.contains(offer), operates, "{offer}");
        }
        assert!(page.body.contains("data-export"), "what may be looked at may be taken along");
    }
    assert_eq!(server.send("GET /app/rows?ids=1", &reader, "").status, 400);
    assert_eq!(server.send("GET /app/rows", "", "").status, 401);
}
