//! Every query of this store names existing columns and tables.

use std::fs;
use std::path::Path;

use quire_sqlite::SqliteOptions;
use quire_sqlite::testing::store_fixture_with;
use rusqlite::Connection;

#[tokio::test]
async fn every_query_expands_and_prepares() {
    let (_fixture, path) = store_fixture_with(SqliteOptions::default()).await;
    let connection = Connection::open(path).unwrap();
    let mut prepared = 0;
    for folder in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("queries")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let file = file.unwrap().path();
            let query = quire_sql::expand(&fs::read_to_string(&file).unwrap());
            assert!(!query.contains(['{', '}']), "{}: {query}", file.display());
            let statement = connection.prepare(&query);
            assert!(statement.is_ok(), "{}: {:?}", file.display(), statement.err());
            prepared += 1;
        }
    }
    assert!(prepared > 80, "{prepared} queries were found");
}
