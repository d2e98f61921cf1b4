-- Makes the run the front of its subject, or puts it behind the existing front. A run of a document gets the current
-- language of its document and the newest version of its schema. It also gets the document's place in the list,
-- unless a later run has that place.
INSERT INTO runs (id, pipeline, subject_id, state, turn, priority, correlation_id, created_at, queued_at, language,
                  schema_name, schema_version, continues_run_id, continuation, requested_by, extractor,
                  listed_at)
SELECT ?1, ?2, ?3, 'QUEUED',
       CASE WHEN EXISTS (SELECT 1 FROM runs
                         WHERE subject_id = ?3 AND pipeline = ?2 AND turn IN ('READY', 'DELAYED', 'HELD'))
            THEN 'BEHIND' ELSE 'READY' END,
       ?4, ?5, ?6, ?6, d.language_override, s.schema_name, s.version_number, ?7, ?8, ?9, ?10,
       CASE WHEN NOT EXISTS (SELECT 1 FROM runs later
                             WHERE later.subject_id = d.id AND later.pipeline = 'document'
                               AND (later.created_at, later.id) > (?6, ?1))
            THEN d.created_at END
FROM (SELECT 1)
LEFT JOIN documents d ON d.id = ?3 AND ?2 = 'document'
LEFT JOIN schema_versions s ON s.id = (SELECT id FROM schema_versions
                                       WHERE schema_name = d.schema_name
                                       ORDER BY version_number DESC
                                       LIMIT 1)
WHERE true
ON CONFLICT (id) DO NOTHING
RETURNING {run}, listed_at IS NOT NULL AS is_listed
