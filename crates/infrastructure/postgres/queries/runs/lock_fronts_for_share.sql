-- Locks the fronts of these subjects. No front can end before the commit, so the transaction that ends a front later
-- finds the runs that were put behind it. If another transaction is ending a front, this statement waits for it and
-- then does not return that front. The inner query locks nothing, so that it reads only the index of fronts, however
-- many runs a subject has had.
SELECT runs.subject_id AS run_subject_id, runs.pipeline AS run_pipeline
FROM unnest($1::uuid[], $2::text[]) AS u (subject_id, pipeline)
CROSS JOIN LATERAL (SELECT f.id
                    FROM runs f
                    WHERE f.subject_id = u.subject_id AND f.pipeline = u.pipeline
                      AND f.turn IN ('READY', 'DELAYED', 'HELD')
                    LIMIT 1) AS front
JOIN runs ON runs.id = front.id
WHERE runs.turn IN ('READY', 'DELAYED', 'HELD')
ORDER BY runs.id
FOR SHARE OF runs
