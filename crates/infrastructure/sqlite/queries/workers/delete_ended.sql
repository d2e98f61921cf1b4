-- Deletes workers that ended at least a day ago and own no run.
DELETE FROM workers
WHERE coalesce(ended_at, lease_until) < ?1 - 86400000000
  AND NOT EXISTS (SELECT 1 FROM runs WHERE turn = 'HELD' AND worker_id = workers.id)
