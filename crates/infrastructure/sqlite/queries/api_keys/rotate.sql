-- Replaces the secret that the caller saw, and no other.
UPDATE api_keys
SET previous_hash = secret_hash, previous_until = ?3, secret_hash = ?4, rotated_at = ?5, expires_at = ?6
WHERE id = ?1 AND secret_hash = ?2 AND revoked_at IS NULL
