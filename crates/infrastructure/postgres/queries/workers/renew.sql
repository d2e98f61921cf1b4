-- A worker may renew a lease that has expired, as long as nobody has ended it. The new lease lasts for its whole term
-- from the server's time, because a worker that was suspended may be wrong about the time.
UPDATE workers
SET seen_at = greatest($2, clock_timestamp()), lease_until = greatest($3, clock_timestamp() + ($3 - $2))
WHERE id = $1 AND ended_at IS NULL
