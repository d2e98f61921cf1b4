-- The claim: who is ready in this pipeline, most urgent first, then longest queued. Only fronts are READY, so a
-- subject with a hundred thousand runs waiting costs no more than one with a single run.
SELECT id, pipeline, subject_id, state, priority, fence, attempts, retry_count, created_at, queued_at, available_at,
       started_at, deadline_at, completed_at, worker_id, correlation_id, failure_type, error, language, schema_name,
       schema_version
FROM runs
WHERE turn = 'READY' AND pipeline = ?1
ORDER BY priority DESC, queued_at, id
LIMIT ?2
