-- A waiting front makes room, so that the turn can be given anew to the oldest.
UPDATE runs
SET turn = 'BEHIND'
FROM unnest($1::uuid[], $2::text[]) AS u (subject_id, pipeline)
CROSS JOIN LATERAL (SELECT f.id
                    FROM runs f
                    WHERE f.subject_id = u.subject_id AND f.pipeline = u.pipeline
                      AND f.turn IN ('READY', 'DELAYED', 'HELD')
                    LIMIT 1) AS front
WHERE runs.id = front.id AND runs.turn IN ('READY', 'DELAYED')
