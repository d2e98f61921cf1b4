SELECT id, at, event_type, pipeline, subject_id, run_id, fence, worker_id, step_name, attempt, started_at, details
FROM events
WHERE id > $1 AND ($2::uuid IS NULL OR run_id = $2) AND ($3::uuid IS NULL OR subject_id = $3)
ORDER BY id
LIMIT $4
