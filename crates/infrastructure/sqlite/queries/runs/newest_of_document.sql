SELECT id, pipeline, subject_id, state, priority, fence, attempts, retry_count, created_at, queued_at, available_at,
       started_at, deadline_at, completed_at, worker_id, correlation_id, failure_type, error, language, schema_name,
       schema_version
FROM runs
WHERE subject_id = ?1 AND pipeline = 'document'
ORDER BY created_at DESC, id DESC
LIMIT ?2
