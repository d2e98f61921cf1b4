-- Deletes workers that ended at least a day ago and own no run.
DELETE FROM workers
WHERE coalesce(ended_at, lease_until) < $1::timestamptz - interval '24 hours'
  AND NOT EXISTS (SELECT 1 FROM runs WHERE turn = 'HELD' AND worker_id = workers.id)
