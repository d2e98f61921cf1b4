-- Locks the fronts of a subject before the caller gives the turn to another run or removes the subject.
SELECT id
FROM runs
WHERE id = ANY (ARRAY(SELECT f.id
                      FROM runs f
                      WHERE f.subject_id = $1 AND ($2::text IS NULL OR f.pipeline = $2)
                        AND f.turn IN ('READY', 'DELAYED', 'HELD')))
  AND turn IN ('READY', 'DELAYED', 'HELD')
ORDER BY id
FOR UPDATE
