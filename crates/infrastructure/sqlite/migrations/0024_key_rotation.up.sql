-- Keys expire, are rotated, and tell their last use.

ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN rotated_at INTEGER;
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
-- The secret before the last rotation, and until when it is still accepted.
ALTER TABLE api_keys ADD COLUMN previous_hash BLOB CHECK (length(previous_hash) = 32);
ALTER TABLE api_keys ADD COLUMN previous_until INTEGER;

-- A key gets another secret, and keeps its holder. A revoked key changes no more.
DROP TRIGGER api_keys_only_end;
CREATE TRIGGER api_keys_keep_their_holder BEFORE UPDATE ON api_keys
WHEN OLD.revoked_at IS NOT NULL OR NEW.id IS NOT OLD.id OR NEW.name IS NOT OLD.name OR NEW.roles IS NOT OLD.roles
     OR NEW.created_at IS NOT OLD.created_at
BEGIN
    SELECT RAISE(ABORT, 'a key can be rotated or revoked, and its holder never changes');
END;

-- The hash of the secret that a session began with. The session ends with that secret.
ALTER TABLE sessions ADD COLUMN key_hash BLOB CHECK (length(key_hash) = 32);
UPDATE sessions SET key_hash = (SELECT secret_hash FROM api_keys WHERE id = sessions.key_id);
