//! The column lists of the queries, each defined once.
//!
//! A query names a list by a placeholder: `SELECT {run r} FROM runs r` selects every column of a run from the table
//! alias `r`. Each column gets a name of its own (`run_id`, `run_state`, …), so that a query may select several lists
//! and [`row`](crate::row) reads each column by its name.

/// Columns of one table, and the prefix of their names in the result.
struct ColumnList {
    prefix: &'static str,
    columns: &'static [&'static str],
}

const RUN: ColumnList = ColumnList {
    prefix: "run_",
    columns: &[
        "id",
        "pipeline",
        "subject_id",
        "state",
        "priority",
        "fence",
        "attempts",
        "shared_orphanings",
        "retry_count",
        "held_ms",
        "lane",
        "continues_run_id",
        "continuation",
        "created_at",
        "queued_at",
        "available_at",
        "started_at",
        "deadline_at",
        "completed_at",
        "worker_id",
        "correlation_id",
        "requested_by",
        "extractor",
        "failure_type",
        "error",
        "language",
        "schema_name",
        "schema_version",
    ],
};

const DOCUMENT: ColumnList = ColumnList {
    prefix: "document_",
    columns: &[
        "id",
        "original_filename",
        "content_type",
        "file_size",
        "content_hash",
        "storage_path",
        "created_at",
        "review_status",
        "language_override",
        "schema_name",
    ],
};

/// The columns of a document's row that [`DOCUMENT`] leaves out.
const DOCUMENT_CHANGES: ColumnList = ColumnList {
    prefix: "document_",
    columns: &["updated_at", "reviewed_at", "reviewed_by", "hidden_at", "hidden_by"],
};

const HIDDEN: ColumnList = ColumnList { prefix: "document_", columns: &["hidden_at", "hidden_by"] };

const REVIEW_MARK: ColumnList = ColumnList {
    prefix: "document_",
    columns: &["review_status", "reviewed_at", "reviewed_by", "reviewed_run_id", "reviewed_version"],
};

const VERSION: ColumnList = ColumnList {
    prefix: "version_",
    columns: &["id", "version_number", "data", "created_at", "created_by", "made_by"],
};

const VERSION_HISTORY: ColumnList = ColumnList {
    prefix: "version_",
    columns: &["id", "version_number", "is_active", "created_at", "created_by", "made_by"],
};

const FIELD_CHANGE: ColumnList = ColumnList {
    prefix: "change_",
    columns: &[
        "interpretation_id",
        "change_type",
        "field_id",
        "field_key",
        "field_path",
        "value_type",
        "old_value",
        "new_value",
        "mapping_id",
    ],
};

const EVENT: ColumnList = ColumnList {
    prefix: "event_",
    columns: &[
        "id",
        "at",
        "event_type",
        "pipeline",
        "subject_id",
        "run_id",
        "fence",
        "worker_id",
        "step_name",
        "attempt",
        "started_at",
        "details",
    ],
};

const ATTEMPT: ColumnList = ColumnList {
    prefix: "attempt_",
    columns: &["fence", "worker_id", "started_at", "ended_at", "outcome", "details"],
};

const ARTIFACT: ColumnList =
    ColumnList { prefix: "artifact_", columns: &["id", "artifact_type", "payload", "created_at"] };

const JOB: ColumnList = ColumnList {
    prefix: "job_",
    columns: &["document_id", "status", "attempts", "started_at", "completed_at", "error_log"],
};

const STEP_PROGRESS: ColumnList = ColumnList {
    prefix: "step_",
    columns: &["step_name", "status", "attempt", "started_at", "completed_at", "error_code", "error_message"],
};

const STEP_RECORD: ColumnList = ColumnList {
    prefix: "step_",
    columns: &["step_name", "step_status", "attempt", "started_at", "ended_at", "error_code", "details"],
};

/// The run of a step. Its pipeline defines which steps exist.
const STEP_RUN: ColumnList = ColumnList { prefix: "step_run_", columns: &["id", "pipeline"] };

const WORKER: ColumnList = ColumnList {
    prefix: "worker_",
    columns: &["id", "name", "slots", "started_at", "seen_at", "lease_until", "ended_at"],
};

const API_KEY: ColumnList = ColumnList {
    prefix: "api_key_",
    columns: &[
        "id",
        "name",
        "roles",
        "secret_hash",
        "created_at",
        "expires_at",
        "rotated_at",
        "revoked_at",
        "last_used_at",
        "previous_hash",
        "previous_until",
    ],
};

const SESSION: ColumnList = ColumnList {
    prefix: "session_",
    columns: &["secret_hash", "key_id", "key_hash", "token_proof", "created_at", "seen_at", "expires_at"],
};

const IDEMPOTENCY_KEY: ColumnList =
    ColumnList { prefix: "idempotency_", columns: &["fingerprint", "document_id", "run_id"] };

const SCHEMA_VERSION: ColumnList = ColumnList {
    prefix: "schema_",
    columns: &["id", "version_number", "definition", "created_at", "created_by", "change_summary"],
};

const SCHEMA_SUMMARY: ColumnList = ColumnList {
    prefix: "schema_",
    columns: &["version_number", "created_at", "created_by", "change_summary"],
};

const SCHEMA_FILE: ColumnList =
    ColumnList { prefix: "file_", columns: &["file_version", "content_hash", "schema_version"] };

const CANDIDATE: ColumnList = ColumnList {
    prefix: "candidate_",
    columns: &[
        "id",
        "schema_name",
        "change_type",
        "source_key",
        "target_key",
        "occurrence_count",
        "status",
        "is_critical",
        "created_at",
        "updated_at",
    ],
};

/// The part of a candidate that a decision is about.
const CANDIDATE_CHANGE: ColumnList =
    ColumnList { prefix: "candidate_", columns: &["schema_name", "change_type", "source_key", "target_key"] };

const CANDIDATE_SAMPLE: ColumnList = ColumnList { prefix: "sample_", columns: &["document_id", "evidence"] };

const DECISION: ColumnList = ColumnList {
    prefix: "decision_",
    columns: &[
        "id",
        "candidate_id",
        "decision_type",
        "previous_status",
        "new_status",
        "schema_version_id",
        "reviewer_id",
        "reason",
        "created_at",
    ],
};

const PROPOSAL_INPUT: ColumnList = ColumnList {
    prefix: "input_",
    columns: &[
        "scope",
        "parent_run_id",
        "user_id",
        "input_idea",
        "extra_context",
        "model",
        "temperature",
        "parameters_json",
        "schema_version",
        "prompt_set_version",
        "edited_proposal_json",
        "edit_notes",
    ],
};

const PROPOSAL_VERSION: ColumnList = ColumnList {
    prefix: "proposal_",
    columns: &["expanded_proposal_json", "proposal_diff_json", "persona_template_version", "edit_notes"],
};

const PERSONA_REVIEW: ColumnList =
    ColumnList { prefix: "review_", columns: &["review_json", "prompt_parameters_json"] };

const PROPOSAL_DECISION: ColumnList = ColumnList { prefix: "verdict_", columns: &["decision_json"] };

const LINK_REQUEST: ColumnList = ColumnList {
    prefix: "link_",
    columns: &[
        "request_type",
        "user_id",
        "input_url",
        "normalized_url",
        "content_text",
        "forward_json",
        "dedupe_hash",
        "language",
        "retry_of",
    ],
};

const SUMMARY: ColumnList = ColumnList {
    prefix: "summary_",
    columns: &["id", "language", "json_payload", "made_by", "version", "is_read", "deleted_at", "created_at"],
};

const CALIBRATION: ColumnList = ColumnList {
    prefix: "calibration_",
    columns: &["context_key", "field_key", "mapping_id", "accepts", "edits", "standing"],
};

const MODEL_CALL: ColumnList = ColumnList {
    prefix: "call_",
    columns: &[
        "id",
        "run_id",
        "step_name",
        "step_attempt",
        "credential",
        "model",
        "tokens_in",
        "tokens_out",
        "cost",
        "latency_ms",
        "outcome",
        "created_at",
    ],
};

const MINUTE: ColumnList = ColumnList {
    prefix: "minute_",
    columns: &[
        "minute",
        "pipeline",
        "started",
        "completed",
        "failed",
        "timed_out",
        "requeued",
        "step_retries",
        "recovered",
        "refused",
        "duration_ms",
        "queued",
        "oldest_ms",
    ],
};

/// A query with each placeholder replaced by its columns. An unknown placeholder stays in the query, and the database
/// refuses the query. A test of each store prepares every query, and so finds it.
pub fn expand(query: &str) -> String {
    let mut expanded = String::with_capacity(query.len());
    let mut rest = query;
    while let Some((before, after)) = rest.split_once('{') {
        expanded.push_str(before);
        let Some((placeholder, after)) = after.split_once('}') else {
            expanded.push('{');
            rest = after;
            continue;
        };
        let mut words = placeholder.split_whitespace();
        let name = words.next().unwrap_or_default();
        let aliases: Vec<&str> = words.collect();
        if let Some(columns) = columns_of(name, &aliases) {
            expanded.push_str(&columns);
        } else {
            expanded.push('{');
            expanded.push_str(placeholder);
            expanded.push('}');
        }
        rest = after;
    }
    expanded.push_str(rest);
    expanded
}

fn columns_of(name: &str, aliases: &[&str]) -> Option<String> {
    let list = match (name, aliases) {
        ("document_overview", [run, document]) => return Some(document_overview(run, document)),
        ("step_progress", [step, run]) => return Some(joined(&[(STEP_PROGRESS, step), (STEP_RUN, run)])),
        ("step_record", [step, run]) => return Some(joined(&[(STEP_RECORD, step), (STEP_RUN, run)])),
        (_, [_, _, ..]) => return None,
        ("run", _) => RUN,
        ("document", _) => DOCUMENT,
        ("hidden", _) => HIDDEN,
        ("review_mark", _) => REVIEW_MARK,
        ("version", _) => VERSION,
        ("version_history", _) => VERSION_HISTORY,
        ("field_change", _) => FIELD_CHANGE,
        ("event", _) => EVENT,
        ("attempt", _) => ATTEMPT,
        ("artifact", _) => ARTIFACT,
        ("job", _) => JOB,
        ("worker", _) => WORKER,
        ("api_key", _) => API_KEY,
        ("session", _) => SESSION,
        ("idempotency_key", _) => IDEMPOTENCY_KEY,
        ("schema_version", _) => SCHEMA_VERSION,
        ("schema_summary", _) => SCHEMA_SUMMARY,
        ("schema_file", _) => SCHEMA_FILE,
        ("candidate", _) => CANDIDATE,
        ("candidate_change", _) => CANDIDATE_CHANGE,
        ("candidate_sample", _) => CANDIDATE_SAMPLE,
        ("decision", _) => DECISION,
        ("proposal_input", _) => PROPOSAL_INPUT,
        ("proposal_version", _) => PROPOSAL_VERSION,
        ("persona_review", _) => PERSONA_REVIEW,
        ("proposal_decision", _) => PROPOSAL_DECISION,
        ("link_request", _) => LINK_REQUEST,
        ("summary", _) => SUMMARY,
        ("calibration", _) => CALIBRATION,
        ("minute", _) => MINUTE,
        ("model_call", _) => MODEL_CALL,
        _ => return None,
    };
    Some(list.of(aliases.first().copied().unwrap_or_default()))
}

/// A document with its run, which may be missing, the text that the run read and the document's confidence.
fn document_overview(run: &str, document: &str) -> String {
    let columns = joined(&[(RUN, run), (DOCUMENT, document), (DOCUMENT_CHANGES, document)]);
    format!(
        "{columns}, \
         (SELECT payload FROM artifacts WHERE run_id = {run}.id AND artifact_type = 'RAW_TEXT' \
          ORDER BY created_at DESC, id DESC LIMIT 1) AS document_text, \
         (SELECT confidence FROM document_confidence WHERE document_id = {document}.id) AS document_confidence"
    )
}

fn joined(lists: &[(ColumnList, &str)]) -> String {
    let columns: Vec<String> = lists.iter().map(|(list, alias)| list.of(alias)).collect();
    columns.join(", ")
}

impl ColumnList {
    /// The columns of the table with that alias. An empty alias adds no alias.
    fn of(&self, alias: &str) -> String {
        let point = if alias.is_empty() { "" } else { "." };
        let column = |column: &&str| format!("{alias}{point}{column} AS {}{column}", self.prefix);
        self.columns.iter().map(column).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_becomes_the_columns_of_its_alias() {
        assert_eq!(
            expand("SELECT {artifact a}, r.id FROM artifacts a"),
            "SELECT a.id AS artifact_id, a.artifact_type AS artifact_artifact_type, \
             a.payload AS artifact_payload, a.created_at AS artifact_created_at, r.id FROM artifacts a"
        );
        assert_eq!(
            expand("SELECT {review_mark} FROM documents"),
            "SELECT review_status AS document_review_status, reviewed_at AS document_reviewed_at, \
             reviewed_by AS document_reviewed_by, reviewed_run_id AS document_reviewed_run_id, \
             reviewed_version AS document_reviewed_version FROM documents"
        );
    }

    #[test]
    fn an_unknown_placeholder_stays_for_the_database_to_refuse() {
        for query in ["SELECT {nothing} FROM runs", "SELECT {run r d}", "SELECT '{' || name"] {
            assert_eq!(expand(query), query);
        }
    }
}
