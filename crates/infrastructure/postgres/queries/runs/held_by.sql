-- What a worker holds, as far as the store knows, and it does not.
SELECT {run}
FROM runs
WHERE turn = 'HELD' AND worker_id = $1 AND id <> ALL ($2)
FOR UPDATE SKIP LOCKED
