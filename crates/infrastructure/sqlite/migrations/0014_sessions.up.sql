-- People who are logged in on the pages. Of what their browsers keep only its hash is here.

CREATE TABLE sessions (
    secret_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(secret_hash) = 32),
    -- The key that they logged in with, or what the token of the settings gives with the session's own secret.
    key_id      BLOB    REFERENCES api_keys (id),
    token_proof BLOB    CHECK (length(token_proof) = 32),
    created_at  INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    CHECK ((key_id IS NULL) <> (token_proof IS NULL))
) WITHOUT ROWID;

-- Which sessions are over?
CREATE INDEX sessions_by_end ON sessions (expires_at);
