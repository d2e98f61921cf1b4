-- People who are logged in on the pages. Of what their browsers keep only its hash is here.

CREATE TABLE sessions (
    secret_hash bytea       PRIMARY KEY CHECK (length(secret_hash) = 32),
    -- The key that they logged in with, or what the token of the settings gives with the session's own secret.
    key_id      uuid        REFERENCES api_keys (id),
    token_proof bytea       CHECK (length(token_proof) = 32),
    created_at  timestamptz NOT NULL,
    seen_at     timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    CHECK ((key_id IS NULL) <> (token_proof IS NULL))
);

-- Which sessions are over?
CREATE INDEX sessions_by_end ON sessions (expires_at);
