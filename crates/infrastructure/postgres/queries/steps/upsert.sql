-- The projection of the events of steps. Inserts a missing step and updates an existing one. A NULL time does not
-- overwrite a stored time. The error is cleared whenever the step is not FAILED.
INSERT INTO step_progress (run_id, step_name, step_order, status, attempt, started_at, completed_at, error_code,
                           error_message)
SELECT u.run_id, u.step_name, u.step_order, u.status, u.attempt, u.started_at, u.completed_at, u.error_code,
       u.error_message
FROM unnest($1::uuid[], $2::text[], $3::smallint[], $4::text[], $5::int[], $6::timestamptz[], $7::timestamptz[],
            $8::text[], $9::text[])
     AS u (run_id, step_name, step_order, status, attempt, started_at, completed_at, error_code, error_message)
ON CONFLICT (run_id, step_name) DO UPDATE
SET step_order = excluded.step_order,
    status = excluded.status,
    attempt = excluded.attempt,
    started_at = coalesce(excluded.started_at, step_progress.started_at),
    completed_at = coalesce(excluded.completed_at, step_progress.completed_at),
    error_code = excluded.error_code,
    error_message = excluded.error_message
