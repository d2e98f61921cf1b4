-- The projection of the events of a step. Inserts a missing step and updates an existing one. A NULL time does not
-- overwrite a stored time. The error is cleared whenever the step is not FAILED.
INSERT INTO step_progress (run_id, step_name, step_order, status, attempt, started_at, completed_at, error_code,
                           error_message)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (run_id, step_name) DO UPDATE
SET step_order = excluded.step_order,
    status = excluded.status,
    attempt = excluded.attempt,
    started_at = coalesce(excluded.started_at, started_at),
    completed_at = coalesce(excluded.completed_at, completed_at),
    error_code = excluded.error_code,
    error_message = excluded.error_message
