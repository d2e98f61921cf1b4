-- What a worker holds, as far as the store knows.
SELECT {run}
FROM runs
WHERE turn = 'HELD' AND worker_id = ?1
