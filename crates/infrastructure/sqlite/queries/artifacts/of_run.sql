SELECT id, artifact_type, payload, created_at
FROM artifacts
WHERE run_id = ?1
ORDER BY id
