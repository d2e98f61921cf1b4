ALTER TABLE sessions DROP COLUMN key_hash;

DROP TRIGGER api_keys_keep_their_holder;
CREATE TRIGGER api_keys_only_end BEFORE UPDATE ON api_keys
WHEN OLD.revoked_at IS NOT NULL OR NEW.id IS NOT OLD.id OR NEW.name IS NOT OLD.name OR NEW.roles IS NOT OLD.roles
     OR NEW.secret_hash IS NOT OLD.secret_hash OR NEW.created_at IS NOT OLD.created_at
BEGIN
    SELECT RAISE(ABORT, 'a key can be revoked and not changed');
END;

-- Before this version a key did not expire. One that has an end must not become valid for ever.
UPDATE api_keys SET revoked_at = expires_at WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
ALTER TABLE api_keys DROP COLUMN previous_until;
ALTER TABLE api_keys DROP COLUMN previous_hash;
ALTER TABLE api_keys DROP COLUMN last_used_at;
ALTER TABLE api_keys DROP COLUMN rotated_at;
ALTER TABLE api_keys DROP COLUMN expires_at;
