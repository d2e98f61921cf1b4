-- Moves a waiting front back into the queue, so that the turn can go to the oldest run.
UPDATE runs
SET turn = 'BEHIND'
FROM unnest($1::uuid[], $2::text[]) AS u (subject_id, pipeline)
CROSS JOIN LATERAL (SELECT f.id
                    FROM runs f
                    WHERE f.subject_id = u.subject_id AND f.pipeline = u.pipeline
                      AND f.turn IN ('READY', 'DELAYED', 'HELD')
                    LIMIT 1) AS front
WHERE runs.id = front.id AND runs.turn IN ('READY', 'DELAYED')
