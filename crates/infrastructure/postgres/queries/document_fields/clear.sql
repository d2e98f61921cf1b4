-- Deletes the fields of these documents, and returns the active version of the latest completed run of each that has one.
WITH deleted AS (DELETE FROM document_fields WHERE document_id = ANY ($1))
SELECT v.version_number, v.data
FROM documents d
CROSS JOIN LATERAL (SELECT id FROM runs
                    WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                    ORDER BY completed_at DESC, created_at DESC, id DESC
                    LIMIT 1) r
JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active
WHERE d.id = ANY ($1)
ORDER BY d.id
