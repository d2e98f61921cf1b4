SELECT id, candidate_id, decision_type, previous_status, new_status, schema_version_id, reviewer_id, reason, created_at
FROM governance_decisions
WHERE ?1 IS NULL OR (created_at, id) > (SELECT created_at, id FROM governance_decisions WHERE id = ?1)
ORDER BY created_at, id
LIMIT ?2
