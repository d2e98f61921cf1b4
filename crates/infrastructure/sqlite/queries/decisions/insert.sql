INSERT INTO governance_decisions (id, candidate_id, decision_type, previous_status, new_status, schema_version_id,
                                  reviewer_id, reason, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
