-- Who is at the front of these subjects. Until the commit no front can end: whoever ends it then finds the runs
-- that were put behind it. A front that was ending is waited for, and is none when that is done. The inner query
-- locks nothing, so that it can only be answered from the index of fronts, however many runs a subject has had.
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
