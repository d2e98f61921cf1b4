-- Returns RUNNING runs whose owner's lease has ended, and RUNNING runs without an owner that are older than the
-- backstop. Skips the runs that another transaction has locked. The next recovery finds them.
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
