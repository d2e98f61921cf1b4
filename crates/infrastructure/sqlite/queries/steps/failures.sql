SELECT step_name, count(*)
FROM step_progress
WHERE status = 'FAILED'
GROUP BY step_name
ORDER BY count(*) DESC, step_name
