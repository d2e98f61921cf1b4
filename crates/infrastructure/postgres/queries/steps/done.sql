SELECT run_id, step_name
FROM step_progress
WHERE run_id = ANY ($1::uuid[]) AND status = 'SUCCEEDED'
