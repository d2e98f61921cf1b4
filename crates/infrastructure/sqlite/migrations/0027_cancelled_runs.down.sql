DROP VIEW document_processing_jobs;
DROP VIEW run_attempts;

CREATE VIEW run_attempts AS
SELECT id, run_id, fence, worker_id, started_at, at AS ended_at, event_type AS outcome, error_code, details
FROM events
WHERE event_type IN ('RUN_COMPLETED', 'RUN_FAILED', 'RUN_TIMED_OUT', 'RUN_RECOVERED_AS_FAILED', 'RUN_REQUEUED')
  AND coalesce(json_extract(details, '$.reason'), '') <> 'WAITING';

CREATE VIEW document_processing_jobs AS
SELECT r.subject_id AS document_id,
       CASE r.state WHEN 'QUEUED' THEN 'PENDING'
                    WHEN 'RUNNING' THEN 'PROCESSING'
                    WHEN 'COMPLETED' THEN 'COMPLETED'
                    ELSE 'FAILED' END AS status,
       r.attempts, r.started_at, r.completed_at,
       (SELECT json_group_array(json_object(
                   'at', strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000000.0, 'unixepoch'),
                   'attempt', 1 + (SELECT count(*) FROM run_attempts a WHERE a.run_id = r.id AND a.id < e.id),
                   'stage', json_extract(e.details, '$.failure.stage'),
                   'error_code', e.error_code,
                   'message', json_extract(e.details, '$.failure.message')))
        FROM (SELECT * FROM events
              WHERE run_id = r.id AND error_code IS NOT NULL
                AND event_type IN ('RUN_COMPLETED', 'RUN_FAILED', 'RUN_TIMED_OUT', 'RUN_RECOVERED_AS_FAILED', 'RUN_REQUEUED')
              ORDER BY id) e) AS error_log,
       r.id AS run_id, r.created_at
FROM runs r
WHERE r.pipeline = 'document';
