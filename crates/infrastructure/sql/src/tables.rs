//! The list of all tables, and what both stores need to copy and to check them.

use quire_ports::PortError;

/// Every table, each after those that its rows refer to. A copy of a database consists of the rows of these tables. A test of
/// each store fails if a migration adds a table that is not here. The tables of the search index are made again instead.
pub const TABLES: &[&str] = &[
    "api_keys",
    "sessions",
    "schema_versions",
    "schema_files",
    "structural_candidates",
    "governance_decisions",
    "documents",
    "runs",
    "events",
    "step_progress",
    "artifacts",
    "interpretation_versions",
    "field_changes",
    "document_confidence",
    "document_fields",
    "structural_edits",
    "calibration_aggregates",
    "calibration_bins",
    "calibration_snapshots",
    "proposal_inputs",
    "proposal_versions",
    "persona_reviews",
    "proposal_decisions",
    "link_requests",
    "link_hashes",
    "summaries",
    "model_calls",
    "idempotency_keys",
    "workers",
    "lanes",
    "minute_metrics",
    "purged_subjects",
    INSTALLATION,
];

/// Whether a column belongs to the search index. The index says nothing that the tables above do not say, its types differ between
/// the stores, and a server makes it again for the documents that it was given. So it is no part of a copy.
pub fn is_derived(table: &str, column: &str) -> bool {
    table == "documents" && matches!(column, "embedding" | "embedding_model")
}

/// The only table that may have a row in a database that gets a copy: `quire migrate up` writes it.
pub const INSTALLATION: &str = "installation";

/// Tells how far a copy into this database has come. The table exists only until the copy is finished.
pub const CREATE_COPY_PROGRESS: &str =
    "CREATE TABLE copy_progress (part text NOT NULL PRIMARY KEY, progress text NOT NULL)";

/// Removes the progress of a copy.
pub const FORGET_COPY: &str = "DROP TABLE IF EXISTS copy_progress";

/// The row of `copy_progress` with the id of the installation that is copied.
pub const COPY_SOURCE: &str = "source of the copy";

/// A rule that the history keeps, and the query for the runs or documents that break it.
#[derive(Clone, Copy, Debug)]
pub struct HistoryRule {
    /// What is wrong with them, as the end of a sentence that begins with an id.
    pub broken: &'static str,
    /// Selects their ids, as `id`.
    pub query: &'static str,
}

/// The rules of the history that neither database checks by itself.
pub const HISTORY_RULES: &[HistoryRule] = &[
    HistoryRule {
        broken: "has versions that are not numbered from 1 without gaps",
        query: "SELECT run_id AS id FROM interpretation_versions GROUP BY run_id \
                HAVING min(version_number) <> 1 OR max(version_number) <> count(*)",
    },
    HistoryRule {
        broken: "has not exactly one active version",
        query: "SELECT run_id AS id FROM interpretation_versions GROUP BY run_id \
                HAVING sum(CASE WHEN is_active THEN 1 ELSE 0 END) <> 1",
    },
    HistoryRule {
        broken: "has an active version that is not its newest",
        query: "SELECT v.run_id AS id FROM interpretation_versions v WHERE v.is_active AND EXISTS \
                (SELECT 1 FROM interpretation_versions n \
                 WHERE n.run_id = v.run_id AND n.version_number > v.version_number)",
    },
    HistoryRule {
        broken: "is REVIEWED and names a version that does not exist",
        query: "SELECT d.id FROM documents d WHERE d.review_status = 'REVIEWED' AND NOT EXISTS \
                (SELECT 1 FROM interpretation_versions v \
                 WHERE v.run_id = d.reviewed_run_id AND v.version_number = d.reviewed_version)",
    },
    HistoryRule {
        broken: "has no event of its creation",
        query: "SELECT r.id FROM runs r WHERE NOT EXISTS \
                (SELECT 1 FROM events e WHERE e.run_id = r.id AND e.event_type = 'RUN_CREATED')",
    },
    HistoryRule {
        broken: "has ended without an event of its end",
        query: "SELECT r.id FROM runs r WHERE r.completed_at IS NOT NULL AND NOT EXISTS \
                (SELECT 1 FROM events e WHERE e.run_id = r.id AND e.event_type IN \
                 ('RUN_COMPLETED', 'RUN_FAILED', 'RUN_TIMED_OUT', 'RUN_RECOVERED_AS_FAILED', 'RUN_WITHDRAWN', \
                  'RUN_CANCELLED'))",
    },
    HistoryRule {
        broken: "is named by events and does not exist",
        query: "SELECT DISTINCT e.run_id AS id FROM events e WHERE e.run_id IS NOT NULL \
                AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = e.run_id)",
    },
    HistoryRule {
        broken: "has an event with a newer fence than its own",
        query: "SELECT DISTINCT r.id FROM runs r JOIN events e ON e.run_id = r.id WHERE e.fence > r.fence",
    },
];

/// A column name or a table name in a statement.
pub fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// The statement that selects a page of rows. `columns` are expressions; the key follows the placeholders if there is one.
pub fn page_query(
    table: &str,
    columns: &[String],
    key: &[&str],
    placeholders: &[String],
    limit: u32,
) -> String {
    let key: Vec<String> = key.iter().map(|name| quoted(name)).collect();
    let after = if placeholders.is_empty() {
        String::new()
    } else {
        format!(" WHERE ({}) > ({})", key.join(", "), placeholders.join(", "))
    };
    format!(
        "SELECT {} FROM {}{after} ORDER BY {} LIMIT {limit}",
        columns.join(", "),
        quoted(table),
        key.join(", ")
    )
}

/// The database has rows that a copy would mix with its own.
pub fn not_empty(table: &str) -> PortError {
    PortError::Conflict(format!(
        "the target database is not empty: the table {table} has rows; name a new database"
    ))
}

/// The database has a part of a copy of another installation.
pub fn copy_of_another() -> PortError {
    PortError::Conflict(
        "the target database has an unfinished copy of another installation; name a new database".to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_follows_the_key_of_the_last_row() {
        let columns = ["\"a\"".to_owned(), "\"b\"".to_owned()];
        assert_eq!(
            page_query("t", &columns, &["a"], &[], 5),
            "SELECT \"a\", \"b\" FROM \"t\" ORDER BY \"a\" LIMIT 5"
        );
        let placeholders = ["?1".to_owned(), "?2".to_owned()];
        assert_eq!(
            page_query("t", &columns, &["a", "b"], &placeholders, 5),
            "SELECT \"a\", \"b\" FROM \"t\" WHERE (\"a\", \"b\") > (?1, ?2) ORDER BY \"a\", \"b\" LIMIT 5"
        );
    }
}
