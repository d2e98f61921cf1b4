-- RUNNING, and the owner's lease has ended; or no owner is named at all and it is older than the backstop. What
-- somebody is just writing about is left for the next time.
SELECT {run}
FROM runs
WHERE turn = 'HELD'
  AND CASE WHEN worker_id IS NULL
           THEN started_at < $2
           ELSE NOT EXISTS (SELECT 1 FROM workers w
                            WHERE w.id = runs.worker_id AND w.ended_at IS NULL
                              AND (w.lease_until IS NULL OR w.lease_until > $1)) END
LIMIT $3
FOR UPDATE SKIP LOCKED
