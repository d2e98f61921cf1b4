SELECT {attempt}
FROM run_attempts
WHERE run_id = $1
ORDER BY id
