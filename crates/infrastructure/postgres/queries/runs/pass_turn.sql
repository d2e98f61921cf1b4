-- Makes the oldest waiting run the front, for each subject whose front is free. The inner lock goes on to the next
-- run if the oldest was just withdrawn. Returns the subject of each run, and whether the run has a
-- place in the list of documents.
UPDATE runs
SET turn = CASE WHEN runs.available_at > next.at THEN 'DELAYED' ELSE 'READY' END
FROM (SELECT behind.id, u.at
      FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS u (subject_id, pipeline, at)
      CROSS JOIN LATERAL (SELECT id
                          FROM runs b
                          WHERE b.subject_id = u.subject_id AND b.pipeline = u.pipeline AND b.turn = 'BEHIND'
                            AND NOT EXISTS (SELECT 1 FROM runs f
                                            WHERE f.subject_id = u.subject_id AND f.pipeline = u.pipeline
                                              AND f.turn IN ('READY', 'DELAYED', 'HELD'))
                          ORDER BY b.created_at, b.id
                          LIMIT 1
                          FOR UPDATE OF b) AS behind) AS next
WHERE runs.id = next.id
RETURNING runs.subject_id AS run_subject_id, runs.pipeline AS run_pipeline, runs.listed_at IS NOT NULL AS is_listed
