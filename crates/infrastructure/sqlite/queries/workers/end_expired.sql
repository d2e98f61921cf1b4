-- Ends the leases that have expired and that runs are held under, before the same transaction recovers these runs.
UPDATE workers
SET ended_at = ?1,
    held_at_end = (SELECT count(*) FROM runs WHERE turn = 'HELD' AND worker_id = workers.id)
WHERE ended_at IS NULL AND lease_until <= ?1
  AND EXISTS (SELECT 1 FROM runs WHERE turn = 'HELD' AND worker_id = workers.id)
