-- A lease that has ended can only be had again by registering and claiming anew. It has ended by the server's time,
-- whatever a worker that has slept believes.
UPDATE workers
SET seen_at = $2, lease_until = $3
WHERE id = $1 AND ended_at IS NULL AND (lease_until IS NULL OR lease_until > greatest($2, clock_timestamp()))
