-- A write that is repeated because its answer was lost finds its artifact.
INSERT INTO artifacts (id, run_id, artifact_type, payload, created_at)
SELECT u.id, u.run_id, u.artifact_type, u.payload, u.created_at
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
     AS u (id, run_id, artifact_type, payload, created_at)
ON CONFLICT (id) DO NOTHING
