//! Every query of this store names existing columns and tables.

use std::fs;
use std::path::Path;

use quire_postgres::testing::TestSchema;
use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};

#[tokio::test]
async fn every_query_expands_and_prepares() {
    let test_schema = TestSchema::migrated().await;
    let mut connection = test_schema.connection().await;
    let mut prepared = 0;
    for folder in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("queries")).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let file = file.unwrap().path();
            let query = quire_sql::expand(&fs::read_to_string(&file).unwrap());
            assert!(!query.contains(['{', '}']), "{}: {query}", file.display());
            // The server cannot prepare a table lock, which names no column.
            if query.contains("LOCK TABLE") {
                continue;
            }
            let statement = connection.prepare(AssertSqlSafe(query).into_sql_str()).await;
            assert!(statement.is_ok(), "{}: {:?}", file.display(), statement.err());
            prepared += 1;
        }
    }
    assert!(prepared > 80, "{prepared} queries were found");
}
