-- At the front of its subject if nobody is, else behind; in the language that its document has now; and in the
-- document's place in the list, unless a later run is there.
INSERT INTO runs (id, pipeline, subject_id, state, turn, priority, correlation_id, created_at, queued_at, language,
                  listed_at)
VALUES (?1, ?2, ?3, 'QUEUED',
        CASE WHEN EXISTS (SELECT 1 FROM runs
                          WHERE subject_id = ?3 AND pipeline = ?2 AND turn IN ('READY', 'DELAYED', 'HELD'))
             THEN 'BEHIND' ELSE 'READY' END,
        ?4, ?5, ?6, ?6,
        (SELECT language_override FROM documents WHERE id = ?3 AND ?2 = 'document'),
        (SELECT d.created_at FROM documents d
         WHERE d.id = ?3 AND ?2 = 'document'
           AND NOT EXISTS (SELECT 1 FROM runs later
                           WHERE later.subject_id = ?3 AND later.pipeline = 'document'
                             AND (later.created_at, later.id) > (?6, ?1))))
ON CONFLICT (id) DO NOTHING
RETURNING language, listed_at IS NOT NULL
