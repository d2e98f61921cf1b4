-- A step that has succeeded keeps its status and does not run again.
UPDATE step_progress
SET status = 'PENDING', error_code = NULL, error_message = NULL
WHERE run_id = ?1 AND status <> 'SUCCEEDED'
