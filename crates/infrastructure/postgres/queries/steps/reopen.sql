-- What has succeeded stays so and is not repeated.
UPDATE step_progress
SET status = 'PENDING', error_code = NULL, error_message = NULL
WHERE run_id = ANY ($1::uuid[]) AND status <> 'SUCCEEDED'
