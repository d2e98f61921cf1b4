-- Keys that people and programs ask with. Of a secret only its hash is kept.

CREATE TABLE api_keys (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- Never given twice: the history names whoever asked.
    name        TEXT    NOT NULL UNIQUE,
    roles       TEXT    NOT NULL,
    secret_hash BLOB    NOT NULL CHECK (length(secret_hash) = 32),
    created_at  INTEGER NOT NULL,
    revoked_at  INTEGER
) WITHOUT ROWID;

-- Without its last key a server would stop asking who is asking.
CREATE TRIGGER api_keys_are_kept BEFORE DELETE ON api_keys
BEGIN
    SELECT RAISE(ABORT, 'keys are revoked and not deleted');
END;

CREATE TRIGGER api_keys_only_end BEFORE UPDATE ON api_keys
WHEN OLD.revoked_at IS NOT NULL OR NEW.id IS NOT OLD.id OR NEW.name IS NOT OLD.name OR NEW.roles IS NOT OLD.roles
     OR NEW.secret_hash IS NOT OLD.secret_hash OR NEW.created_at IS NOT OLD.created_at
BEGIN
    SELECT RAISE(ABORT, 'a key can be revoked and not changed');
END;
