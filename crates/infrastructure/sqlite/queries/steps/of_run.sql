SELECT p.step_name, p.status, p.attempt, p.started_at, p.completed_at, p.error_code, p.error_message, r.pipeline
FROM step_progress p
JOIN runs r ON r.id = p.run_id
WHERE p.run_id = ?1
ORDER BY p.step_order
