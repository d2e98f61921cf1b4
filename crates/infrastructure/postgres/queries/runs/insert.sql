-- A run whose id is there already is left alone, and so is one that would be a second front: somebody else was
-- quicker, and its caller looks again. A document's run gets the language that its document has now.
INSERT INTO runs (id, pipeline, subject_id, state, turn, priority, correlation_id, created_at, queued_at, language)
SELECT u.id, u.pipeline, u.subject_id, 'QUEUED', u.turn, u.priority, u.correlation_id, u.at, u.at,
       (SELECT d.language_override FROM documents d WHERE d.id = u.subject_id AND u.pipeline = 'document')
FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::smallint[], $6::text[], $7::timestamptz[])
     AS u (id, pipeline, subject_id, turn, priority, correlation_id, at)
ON CONFLICT DO NOTHING
RETURNING id, language
