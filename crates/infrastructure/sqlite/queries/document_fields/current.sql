-- Returns the active version of the document's latest completed run, if it has one.
SELECT v.version_number, v.data
FROM documents d
JOIN interpretation_versions v
  ON v.is_active = 1
 AND v.run_id = (SELECT id FROM runs
                 WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                 ORDER BY completed_at DESC, created_at DESC, id DESC
                 LIMIT 1)
WHERE d.id = ?1
