-- A worker whose lease has ended must register and claim again. The server's clock decides whether a lease has
-- ended, because a worker that was suspended may be wrong about the time.
UPDATE workers
SET seen_at = $2, lease_until = $3
WHERE id = $1 AND ended_at IS NULL AND (lease_until IS NULL OR lease_until > greatest($2, clock_timestamp()))
