SELECT e.step_name, e.step_status, e.attempt, e.started_at, e.ended_at, e.error_code, e.details, r.pipeline
FROM step_events e
JOIN runs r ON r.id = e.run_id
WHERE e.run_id = $1
ORDER BY e.id
