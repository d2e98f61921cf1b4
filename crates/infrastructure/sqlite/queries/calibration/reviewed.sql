-- The signals of a document that was just marked come from the active version of the run that it was marked with.
SELECT v.run_id AS version_run_id, v.data AS version_data
FROM documents d
JOIN interpretation_versions v ON v.run_id = d.reviewed_run_id AND v.is_active = 1
WHERE d.id = ?1
