-- Returns the document with its latest completed run and the interpretation of that run. Newer runs that did not
-- complete do not count.
SELECT {document_overview r d},
       {version v}
FROM documents d
LEFT JOIN LATERAL (SELECT * FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                   ORDER BY completed_at DESC, created_at DESC, id DESC
                   LIMIT 1) r ON true
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active
WHERE d.id = $1
