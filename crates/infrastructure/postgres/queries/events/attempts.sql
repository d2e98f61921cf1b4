SELECT fence, worker_id, started_at, ended_at, outcome, details
FROM run_attempts
WHERE run_id = $1
ORDER BY id
