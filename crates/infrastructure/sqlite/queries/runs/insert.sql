-- At the front of its subject if nobody is, else behind.
INSERT INTO runs (id, pipeline, subject_id, state, turn, priority, correlation_id, created_at, queued_at)
VALUES (?1, ?2, ?3, 'QUEUED',
        CASE WHEN EXISTS (SELECT 1 FROM runs
                          WHERE subject_id = ?3 AND pipeline = ?2 AND turn IN ('READY', 'DELAYED', 'HELD'))
             THEN 'BEHIND' ELSE 'READY' END,
        ?4, ?5, ?6, ?6)
ON CONFLICT (id) DO NOTHING
