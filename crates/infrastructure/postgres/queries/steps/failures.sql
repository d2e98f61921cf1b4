SELECT step_name AS failure_step_name, error_code AS failure_error_code, count(*) AS failure_count
FROM step_progress
WHERE status = 'FAILED'
GROUP BY step_name, error_code
ORDER BY count(*) DESC, step_name, error_code
LIMIT 200
