//! The queries for PostgreSQL in the guide for BI tools.

// In a test a panic reports a failure.
#![allow(clippy::unwrap_used)]

use quire_postgres::testing::TestSchema;
use sqlx::{AssertSqlSafe, Executor, Row};

const GUIDE: &str = include_str!("../../../../docs/guide/bi.md");

/// Two invoices of March 2024, one of which has a total that is no number.
const FIELDS: &str = "\
    INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, created_at, \
                           updated_at, review_status) \
    SELECT id::uuid, 'a.pdf', 'application/pdf', 1, decode(repeat('00', 32), 'hex'), id || '/original.pdf', now(), now(), \
           'IN_REVIEW' \
    FROM (VALUES ('00000000-0000-7000-8000-000000000001'), ('00000000-0000-7000-8000-000000000002')) AS d (id); \
    INSERT INTO document_fields (document_id, position, run_id, version_number, field_id, key, value, value_type, \
                                 number_value, date_value, confidence, origin) \
    SELECT id, position, id, 1, id, key, value, value_type, number_value, date_value::date, 0.9, 'machine' \
    FROM documents, (VALUES (0, 'total_amount', '12.50', 'number', 12.5, NULL), \
                            (1, 'issue_date', '2024-03-09', 'date', NULL, '2024-03-09')) \
                    AS f (position, key, value, value_type, number_value, date_value); \
    UPDATE document_fields SET number_value = NULL \
    WHERE key = 'total_amount' AND document_id = '00000000-0000-7000-8000-000000000002'";

/// Proves R205 for other programs: the query of the guide runs as it is printed.
#[tokio::test]
async fn the_query_of_the_guide_for_bi_tools_runs() {
    let blocks = GUIDE.split("```sql\n").skip(1).filter_map(|rest| rest.split("```").next());
    let query = blocks.into_iter().find(|block| block.contains("FROM document_fields AS total")).unwrap();
    let test_schema = TestSchema::migrated().await;
    let mut connection = test_schema.connection().await;
    connection.execute(AssertSqlSafe(FIELDS.to_owned())).await.unwrap();
    let rows =
        connection.fetch_all(AssertSqlSafe(query.trim().trim_end_matches(';').to_owned())).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].get::<i64, _>("invoices"), rows[0].get::<f64, _>("invoiced")), (1, 12.5));
}
