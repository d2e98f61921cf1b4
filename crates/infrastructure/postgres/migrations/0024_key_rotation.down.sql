ALTER TABLE sessions DROP COLUMN key_hash;

DROP TRIGGER api_keys_keep_their_holder ON api_keys;
CREATE TRIGGER api_keys_only_end BEFORE UPDATE ON api_keys
FOR EACH ROW
WHEN (OLD.revoked_at IS NOT NULL
      OR (NEW.id, NEW.name, NEW.roles, NEW.secret_hash, NEW.created_at)
         IS DISTINCT FROM (OLD.id, OLD.name, OLD.roles, OLD.secret_hash, OLD.created_at))
EXECUTE FUNCTION refuse('a key can be revoked and not changed');

-- Before this version a key did not expire. One that has an end must not become valid for ever.
UPDATE api_keys SET revoked_at = expires_at WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
ALTER TABLE api_keys
    DROP COLUMN previous_until,
    DROP COLUMN previous_hash,
    DROP COLUMN last_used_at,
    DROP COLUMN rotated_at,
    DROP COLUMN expires_at;
