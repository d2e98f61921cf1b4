-- Keys expire, are rotated, and tell their last use.

ALTER TABLE api_keys
    ADD COLUMN expires_at     timestamptz,
    ADD COLUMN rotated_at     timestamptz,
    ADD COLUMN last_used_at   timestamptz,
    -- The secret before the last rotation, and until when it is still accepted.
    ADD COLUMN previous_hash  bytea CHECK (length(previous_hash) = 32),
    ADD COLUMN previous_until timestamptz;

-- A key gets another secret, and keeps its holder. A revoked key changes no more.
DROP TRIGGER api_keys_only_end ON api_keys;
CREATE TRIGGER api_keys_keep_their_holder BEFORE UPDATE ON api_keys
FOR EACH ROW
WHEN (OLD.revoked_at IS NOT NULL
      OR (NEW.id, NEW.name, NEW.roles, NEW.created_at)
         IS DISTINCT FROM (OLD.id, OLD.name, OLD.roles, OLD.created_at))
EXECUTE FUNCTION refuse('a key can be rotated or revoked, and its holder never changes');

-- The hash of the secret that a session began with. The session ends with that secret.
ALTER TABLE sessions ADD COLUMN key_hash bytea CHECK (length(key_hash) = 32);
UPDATE sessions SET key_hash = k.secret_hash FROM api_keys k WHERE k.id = sessions.key_id;
