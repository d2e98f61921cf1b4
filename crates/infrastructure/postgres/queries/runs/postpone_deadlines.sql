UPDATE runs
SET deadline_at = deadline_at + $2 * interval '1 microsecond'
WHERE turn = 'HELD' AND worker_id = $1 AND deadline_at IS NOT NULL
