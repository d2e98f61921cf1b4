DROP VIEW document_processing_jobs;
DROP VIEW run_attempts;
DROP VIEW step_events;

CREATE VIEW step_events AS
SELECT id, run_id, step_name,
       CASE event_type WHEN 'STEP_STARTED' THEN 'RUNNING'
                       WHEN 'STEP_SUCCEEDED' THEN 'SUCCEEDED'
                       ELSE 'FAILED' END AS step_status,
       attempt,
       CASE event_type WHEN 'STEP_STARTED' THEN at ELSE started_at END AS started_at,
       CASE event_type WHEN 'STEP_STARTED' THEN NULL ELSE at END AS ended_at,
       error_code, details
FROM events
WHERE event_type IN ('STEP_STARTED', 'STEP_SUCCEEDED', 'STEP_FAILED');

CREATE VIEW run_attempts AS
SELECT id, run_id, fence, worker_id, started_at, at AS ended_at, event_type AS outcome, error_code, details
FROM events
WHERE event_type IN ('RUN_COMPLETED', 'RUN_FAILED', 'RUN_TIMED_OUT', 'RUN_RECOVERED_AS_FAILED', 'RUN_REQUEUED');

CREATE VIEW document_processing_jobs AS
SELECT r.subject_id AS document_id,
       CASE r.state WHEN 'QUEUED' THEN 'PENDING'
                    WHEN 'RUNNING' THEN 'PROCESSING'
                    WHEN 'COMPLETED' THEN 'COMPLETED'
                    ELSE 'FAILED' END AS status,
       r.attempts, r.started_at, r.completed_at,
       (SELECT json_group_array(json_object(
                   'at', strftime('%Y-%m-%dT%H:%M:%fZ', a.ended_at / 1000000.0, 'unixepoch'),
                   'attempt', a.place,
                   'stage', json_extract(a.details, '$.failure.stage'),
                   'error_code', a.error_code,
                   'message', json_extract(a.details, '$.failure.message')))
        FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM run_attempts WHERE run_id = r.id) a
        WHERE a.error_code IS NOT NULL) AS error_log,
       r.id AS run_id, r.created_at
FROM runs r
WHERE r.pipeline = 'document';

ALTER TABLE runs DROP COLUMN held_ms;
