//! `quire backup` and `quire restore`: everything is destroyed, and comes back.

use quire_domain::DocumentId;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::send_file;

on_both_stores! {
    everything_that_was_destroyed_comes_back_from_an_encrypted_backup,
    a_restore_over_data_and_a_damaged_backup_are_refused_and_change_nothing,
    a_program_backs_up_no_database_that_it_does_not_know_whole,
}

fn review(server: &TestServer, document: DocumentId) -> Value {
    server.json(&format!("/documents/{document}/review"))["active_interpretation"].clone()
}

/// Removes all rows, all tables and all files.
fn destroy(env: &TestEnv) {
    env.cli.run_ok(&["migrate", "down", "--to", "0", "--yes"]);
    if !env.is_on_postgresql() {
        for name in ["quire.db", "quire.db-wal", "quire.db-shm"] {
            let _ = std::fs::remove_file(env.cli.path(&format!("quire-data/{name}")));
        }
    }
    std::fs::remove_dir_all(env.documents_folder()).unwrap();
}

async fn everything_that_was_destroyed_comes_back_from_an_encrypted_backup(env: &TestEnv) {
    let cli = &env.cli;
    cli.write("backup.key", &"3f".repeat(32));
    let server = cli.serve();
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    env.wait_until_completed(document).await;
    let before = review(&server, document);
    // The server goes on while the backup is made.
    let made = cli.run_ok(&["backup", "one.tar", "--key-file", "backup.key"]);
    assert!(made.contains("encrypted") && !made.contains("not encrypted"), "{made}");
    let later = send_file(&server, "record.pdf", &clinical_record(2), "").document_id();
    assert_eq!(server.stop().status.code(), Some(0));
    let stored = std::fs::read(cli.path("one.tar")).unwrap();
    assert!(!stored.windows(4).any(|bytes| bytes == b"Luna"), "an encrypted backup shows nothing");
    let left: Vec<_> =
        std::fs::read_dir(cli.path(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("partial")), "{left:?}");

    cli.write("other.key", &"3e".repeat(32));
    let wrong = cli.run_err(&["restore", "one.tar", "--key-file", "other.key", "--replace"]);
    assert!(wrong.contains("the key does not fit"), "{wrong}");
    assert_eq!(env.documents().await.len(), 2, "a wrong key changes nothing");

    destroy(env);
    let restored = cli.run_ok(&["restore", "one.tar", "--key-file", "backup.key"]);
    assert!(restored.contains("Restored the backup of"), "{restored}");
    let server = cli.serve();
    assert_eq!(review(&server, document), before);
    let download = server.get_bytes(&format!("/documents/{document}/download"));
    assert_eq!(download.body, clinical_record(1));
    assert_eq!(server.get(&format!("/documents/{later}")).status, 404, "it came after the backup");
    let new = send_file(&server, "record.pdf", &clinical_record(3), "").document_id();
    assert_eq!(server.get(&format!("/documents/{new}")).status, 200);
    assert_eq!(cli.run_json(&["verify", "--json"])["fault_count"], 0);
    assert_eq!(server.stop().status.code(), Some(0));
    assert!(!cli.path("quire-data/restore.partial").exists());
}

async fn a_restore_over_data_and_a_damaged_backup_are_refused_and_change_nothing(env: &TestEnv) {
    let cli = &env.cli;
    let server = cli.serve();
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    env.wait_until_completed(document).await;
    cli.run_ok(&["backup", "one.tar"]);
    std::fs::create_dir(cli.path("backups")).unwrap();
    let dated = cli.run_ok(&["backup", "backups"]);
    assert!(dated.starts_with("backups/quire-2") && dated.contains("not encrypted"), "{dated}");
    assert!(cli.run_err(&["backup", "one.tar"]).contains("exists already"));
    let running = cli.run_err(&["restore", "one.tar", "--replace"]);
    assert!(running.contains("stop"), "{running}");
    let newer = send_file(&server, "record.pdf", &clinical_record(2), "").document_id();
    env.wait_until_completed(newer).await;
    assert_eq!(server.stop().status.code(), Some(0));

    let over = cli.run_err(&["restore", "one.tar"]);
    assert!(over.contains("not empty") && over.contains("--replace"), "{over}");
    let mut damaged = std::fs::read(cli.path("one.tar")).unwrap();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    std::fs::write(cli.path("damaged.tar"), damaged).unwrap();
    let refused = cli.run_err(&["restore", "damaged.tar", "--replace"]);
    assert!(refused.contains("damaged"), "{refused}");
    let server = cli.serve();
    for kept in [document, newer] {
        assert_eq!(server.get(&format!("/documents/{kept}")).status, 200, "nothing was changed");
    }
    assert_eq!(server.stop().status.code(), Some(0));

    cli.run_ok(&["restore", "one.tar", "--replace"]);
    let server = cli.serve();
    assert_eq!(server.json(&format!("/documents/{document}"))["status"], json!("COMPLETED"));
    assert_eq!(server.get(&format!("/documents/{newer}")).status, 404);
}

/// A newer program has added a table. An older one works beside it, but a backup of its own would lack that table.
async fn a_program_backs_up_no_database_that_it_does_not_know_whole(env: &TestEnv) {
    let newest = env.store.migrations.newest_known();
    let newer = format!(
        "INSERT INTO schema_migrations (version, name, applied_at, checksum, oldest_program) \
         SELECT {}, '9999_newer', applied_at, 'x', {newest} FROM schema_migrations WHERE version = 1",
        newest + 1
    );
    env.sql.execute(&newer).await.unwrap();
    assert_eq!(env.cli.run_json(&["verify", "--json"])["fault_count"], 0, "other commands work beside it");
    let refused = env.cli.run_err(&["backup", "one.tar"]);
    assert!(refused.contains("back it up with the newer program"), "{refused}");
    assert!(!env.cli.path("one.tar").exists());
    let excluding = format!("UPDATE schema_migrations SET oldest_program = version WHERE version > {newest}");
    env.sql.execute(&excluding).await.unwrap();
    let refused = env.cli.run_err(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(refused.contains(&format!("is at version {}", newest + 1)), "{refused}");
    assert!(refused.contains("use a newer program"), "{refused}");
}
