-- A worker whose lease has ended must register and claim again.
UPDATE workers
SET seen_at = ?2, lease_until = ?3
WHERE id = ?1 AND ended_at IS NULL AND (lease_until IS NULL OR lease_until > ?2)
