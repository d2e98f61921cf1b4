-- A write that is repeated because its answer was lost finds its artifact.
INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (id) DO NOTHING
