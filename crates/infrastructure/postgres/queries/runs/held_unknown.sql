-- Returns the runs that the store records as held by a worker, but that the worker does not report.
SELECT {run}
FROM runs
WHERE turn = 'HELD' AND worker_id = $1 AND id <> ALL ($2)
FOR UPDATE SKIP LOCKED
