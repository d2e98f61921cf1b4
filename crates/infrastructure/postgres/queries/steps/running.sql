SELECT run_id, step_name, attempt, started_at
FROM step_progress
WHERE run_id = ANY ($1::uuid[]) AND status = 'RUNNING'
ORDER BY run_id, step_order
