-- Somebody who asked earlier and comes later takes nothing back.
UPDATE sessions SET seen_at = $2, expires_at = $3 WHERE secret_hash = $1 AND seen_at < $2
