-- Returns RUNNING runs that are past their deadline and whose owner is alive. Recovery handles the runs whose owner
-- is gone. The runs in $4 are left to the owner that asks.
SELECT {run}
FROM runs
WHERE turn = 'HELD' AND deadline_at < $2 AND id <> ALL ($4::uuid[])
  AND EXISTS (SELECT 1 FROM workers w
              WHERE w.id = runs.worker_id AND w.ended_at IS NULL
                AND (w.lease_until IS NULL OR w.lease_until > $1))
ORDER BY deadline_at
LIMIT $3
FOR UPDATE SKIP LOCKED
