-- Lets the first runs that wait in the lane go on, in the order of the queue. Skips the runs that another transaction
-- has locked: it wakes, claims or withdraws them.
UPDATE runs
SET turn = CASE turn WHEN 'DELAYED' THEN 'READY' ELSE turn END, available_at = NULL, lane = NULL
WHERE id IN (SELECT id FROM runs
             WHERE lane = $1
             ORDER BY priority DESC, queued_at, id
             LIMIT $2
             FOR UPDATE SKIP LOCKED)
