-- A worker may renew a lease that has expired, as long as nobody has ended it.
UPDATE workers
SET seen_at = ?2, lease_until = ?3
WHERE id = ?1 AND ended_at IS NULL
