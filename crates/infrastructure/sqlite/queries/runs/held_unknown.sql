-- Returns the runs that the store records as held by a worker.
SELECT {run}
FROM runs
WHERE turn = 'HELD' AND worker_id = ?1
