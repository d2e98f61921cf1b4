-- RUNNING past the deadline under an owner that lives. An owner that is gone is recovery's business.
SELECT id, pipeline, subject_id, state, priority, fence, attempts, retry_count, created_at, queued_at, available_at,
       started_at, deadline_at, completed_at, worker_id, correlation_id, failure_type, error, language, schema_name,
       schema_version
FROM runs
WHERE turn = 'HELD' AND deadline_at < ?2
  AND EXISTS (SELECT 1 FROM workers w
              WHERE w.id = runs.worker_id AND w.ended_at IS NULL
                AND (w.lease_until IS NULL OR w.lease_until > ?1))
ORDER BY deadline_at
LIMIT ?3
