-- Keys that people and programs ask with. Of a secret only its hash is kept.

CREATE TABLE api_keys (
    id          uuid        PRIMARY KEY,
    -- Never given twice: the history names whoever asked.
    name        text        NOT NULL UNIQUE,
    roles       text        NOT NULL,
    secret_hash bytea       NOT NULL CHECK (length(secret_hash) = 32),
    created_at  timestamptz NOT NULL,
    revoked_at  timestamptz
);

-- Without its last key a server would stop asking who is asking.
CREATE TRIGGER api_keys_are_kept BEFORE DELETE ON api_keys
FOR EACH ROW
EXECUTE FUNCTION refuse('keys are revoked and not deleted');

CREATE TRIGGER api_keys_only_end BEFORE UPDATE ON api_keys
FOR EACH ROW
WHEN (OLD.revoked_at IS NOT NULL
      OR (NEW.id, NEW.name, NEW.roles, NEW.secret_hash, NEW.created_at)
         IS DISTINCT FROM (OLD.id, OLD.name, OLD.roles, OLD.secret_hash, OLD.created_at))
EXECUTE FUNCTION refuse('a key can be revoked and not changed');
