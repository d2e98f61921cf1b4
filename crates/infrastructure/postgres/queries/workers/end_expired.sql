-- Ends the leases that have expired and that runs are held under, before the same transaction recovers these runs. A
-- worker that renews its lease at the same time either comes first, and its lease is left alone, or waits for this
-- transaction and finds that its lease has ended.
UPDATE workers
SET ended_at = $1,
    held_at_end = (SELECT count(*) FROM runs WHERE turn = 'HELD' AND worker_id = workers.id)
WHERE id IN (SELECT id FROM workers w
             WHERE w.ended_at IS NULL AND w.lease_until <= $1
               AND EXISTS (SELECT 1 FROM runs WHERE turn = 'HELD' AND worker_id = w.id)
             ORDER BY id
             FOR UPDATE SKIP LOCKED)
