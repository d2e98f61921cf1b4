-- Returns the document with its latest completed run and the interpretation of that run. Newer runs that did not
-- complete do not count.
SELECT {document_overview r d},
       {version v}
FROM documents d
LEFT JOIN runs r ON r.id = (SELECT id FROM runs
                            WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                            ORDER BY completed_at DESC, created_at DESC, id DESC
                            LIMIT 1)
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active = 1
WHERE d.id = ?1
