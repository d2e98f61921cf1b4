UPDATE workers
SET ended_at = $1, held_at_end = (SELECT count(*) FROM runs WHERE turn = 'HELD' AND worker_id = workers.id)
WHERE ended_at IS NULL
