-- Returns RUNNING runs whose owner's lease has ended, and RUNNING runs without an owner that are older than
-- `unowned_after`, each with the number of runs that its owner held at the end.
SELECT {run}, coalesce((SELECT held_at_end FROM workers w WHERE w.id = runs.worker_id), 1) AS run_held_together
FROM runs
WHERE turn = 'HELD'
  AND CASE WHEN worker_id IS NULL
           THEN started_at <= ?1
           ELSE NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = runs.worker_id AND w.ended_at IS NULL) END
LIMIT ?2
