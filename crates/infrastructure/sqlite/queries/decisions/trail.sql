SELECT d.id, d.candidate_id, d.decision_type, d.previous_status, d.new_status, d.schema_version_id, d.reviewer_id, d.reason,
       d.created_at, c.schema_name, c.change_type, c.source_key, c.target_key, v.version_number
FROM governance_decisions d
JOIN structural_candidates c ON c.id = d.candidate_id
LEFT JOIN schema_versions v ON v.id = d.schema_version_id
WHERE ?1 IS NULL OR (d.created_at, d.id) < (SELECT created_at, id FROM governance_decisions WHERE id = ?1)
ORDER BY d.created_at DESC, d.id DESC
LIMIT ?2
