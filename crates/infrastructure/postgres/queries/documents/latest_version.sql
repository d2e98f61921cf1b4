-- Returns the latest completed run of a document and the number of its active version. Both are null if there is none.
SELECT r.id AS run_id, v.version_number
FROM documents d
LEFT JOIN LATERAL (SELECT id FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                   ORDER BY completed_at DESC, created_at DESC, id DESC
                   LIMIT 1) r ON true
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active
WHERE d.id = $1
