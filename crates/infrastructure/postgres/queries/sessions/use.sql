-- A request that arrives late must not overwrite the times of a newer request.
UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE secret_hash = $1 AND seen_at < $2
