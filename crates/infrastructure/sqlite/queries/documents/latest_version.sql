-- Returns the latest completed run of a document and the number of its active version. Both are null if there is none.
SELECT r.id AS run_id, v.version_number
FROM documents d
LEFT JOIN runs r ON r.id = (SELECT id FROM runs
                            WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                            ORDER BY completed_at DESC, created_at DESC, id DESC
                            LIMIT 1)
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active = 1
WHERE d.id = ?1
