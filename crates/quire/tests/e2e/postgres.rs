//! The same program on PostgreSQL, where several of them share the work.

use quire_postgres::testing::Place;
use serde_json::Value;

use crate::program::Quire;
use crate::scene::on_place;

fn json_of(quire: &Quire, arguments: &[&str]) -> Value {
    serde_json::from_str(&quire.says(arguments)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_schema_is_refused_by_name_of_the_command_that_brings_it_up_to_date() {
    let place = Place::empty().await;
    let quire = on_place(&place);
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["worker"], &["queue"]] {
        let refused = quire.refuses(arguments);
        assert!(refused.contains("version 0") && refused.contains("quire migrate up"), "{refused}");
    }
    assert!(quire.says(&["migrate", "up"]).starts_with("Applied 0001_"));
    let status = json_of(&quire, &["migrate", "status", "--json"]);
    assert_eq!(status["version"], status["newest"]);
    let down = quire.says(&["migrate", "down", "--to", "0"]);
    assert!(down.starts_with("Reverted") && down.contains("at version 0"), "{down}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_and_workers_share_a_database_and_each_has_its_lease() {
    let place = Place::migrated().await;
    let quire = on_place(&place);
    let server = quire.serve();
    let workers = [quire.start(&["worker"]), quire.start(&["worker", "--listen", "127.0.0.1:0"])];
    for worker in &workers {
        assert_eq!(worker.said, "Quire worker is ready\n");
    }
    assert_eq!(server.get("/health").status, 200);
    assert!(server.get("/metrics").body.contains("quire_queue_depth"));
    let leases = |quire: &Quire| -> Vec<Value> {
        let queue = json_of(quire, &["queue", "--json"]);
        queue["workers"].as_array().unwrap().iter().map(|worker| worker["lease"].clone()).collect()
    };
    assert_eq!(leases(&quire), ["live", "live", "live"]);
    for one in workers {
        assert_eq!(one.stop().status.code(), Some(0));
    }
    assert_eq!(server.stop().status.code(), Some(0));
    assert_eq!(leases(&quire), ["ended", "ended", "ended"]);
}

#[test]
fn a_server_that_does_not_answer_is_named_without_its_password() {
    let quire = Quire::new().with("QUIRE_DATABASE_BUSY_TIMEOUT", "100ms");
    let refused = quire.refuses(&["queue", "--database", "postgres://quire:hunter2@127.0.0.1:1/quire"]);
    assert!(
        refused.contains("postgres://quire:***@127.0.0.1:1/quire") && !refused.contains("hunter2"),
        "{refused}"
    );
}
