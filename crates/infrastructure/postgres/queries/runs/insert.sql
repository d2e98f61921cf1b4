-- A run whose id is there already is left alone, and so is one that would be a second front: somebody else was
-- quicker, and its caller looks again.
INSERT INTO runs (id, pipeline, subject_id, state, turn, priority, correlation_id, created_at, queued_at)
SELECT u.id, u.pipeline, u.subject_id, 'QUEUED', u.turn, u.priority, u.correlation_id, u.at, u.at
FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::smallint[], $6::text[], $7::timestamptz[])
     AS u (id, pipeline, subject_id, turn, priority, correlation_id, at)
ON CONFLICT DO NOTHING
RETURNING id
