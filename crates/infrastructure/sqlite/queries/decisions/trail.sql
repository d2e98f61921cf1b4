SELECT {decision d}, {candidate_change c}, v.version_number AS schema_version_number
FROM governance_decisions d
JOIN structural_candidates c ON c.id = d.candidate_id
LEFT JOIN schema_versions v ON v.id = d.schema_version_id
WHERE ?1 IS NULL OR (d.created_at, d.id) < (SELECT created_at, id FROM governance_decisions WHERE id = ?1)
ORDER BY d.created_at DESC, d.id DESC
LIMIT ?2
