-- With the latest run that completed, whatever became of newer ones, and what that run understood.
SELECT r.id, r.pipeline, r.subject_id, r.state, r.priority, r.fence, r.attempts, r.retry_count, r.created_at, r.queued_at,
       r.available_at, r.started_at, r.deadline_at, r.completed_at, r.worker_id, r.correlation_id, r.failure_type, r.error,
       r.language, r.schema_name, r.schema_version,
       d.original_filename, d.content_type, d.file_size, d.content_hash, d.storage_path, d.created_at, d.review_status,
       d.language_override, d.schema_name, d.id, d.updated_at, d.reviewed_at, d.reviewed_by,
       (SELECT payload FROM artifacts
        WHERE run_id = r.id AND artifact_type = 'RAW_TEXT'
        ORDER BY created_at DESC, id DESC
        LIMIT 1),
       (SELECT certainty FROM certainties WHERE document_id = d.id),
       v.id, v.version_number, v.data, v.created_at, v.created_by, v.made_by
FROM documents d
LEFT JOIN runs r ON r.id = (SELECT id FROM runs
                            WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                            ORDER BY completed_at DESC, created_at DESC, id DESC
                            LIMIT 1)
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active = 1
WHERE d.id = ?1
