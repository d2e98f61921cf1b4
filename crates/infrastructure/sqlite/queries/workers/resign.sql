UPDATE workers
SET ended_at = ?2, seen_at = ?2,
    held_at_end = (SELECT count(*) FROM runs WHERE turn = 'HELD' AND worker_id = workers.id)
WHERE id = ?1 AND ended_at IS NULL
