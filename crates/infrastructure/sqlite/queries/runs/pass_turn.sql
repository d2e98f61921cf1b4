-- Makes the oldest waiting run the front, if the front is free.
UPDATE runs
SET turn = CASE WHEN available_at > ?3 THEN 'DELAYED' ELSE 'READY' END
WHERE id = (SELECT id FROM runs
            WHERE subject_id = ?1 AND pipeline = ?2 AND turn = 'BEHIND'
            ORDER BY created_at, id
            LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM runs
                  WHERE subject_id = ?1 AND pipeline = ?2 AND turn IN ('READY', 'DELAYED', 'HELD'))
