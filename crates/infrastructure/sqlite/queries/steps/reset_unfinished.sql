-- A step that has succeeded keeps its status and does not run again. The others begin again with their first attempt.
UPDATE step_progress
SET status = 'PENDING', attempt = 1, error_code = NULL, error_message = NULL
WHERE run_id = ?1 AND status <> 'SUCCEEDED'
