SELECT step_name, error_code, count(*)
FROM step_progress
WHERE status = 'FAILED'
GROUP BY step_name, error_code
ORDER BY count(*) DESC, step_name, error_code
LIMIT 200
