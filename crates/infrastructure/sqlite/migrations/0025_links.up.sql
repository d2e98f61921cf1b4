-- What was asked of link runs, which request of a client is the current one for an address, and the summaries.

CREATE TABLE link_requests (
    run_id         BLOB    NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    -- The time of the run, which orders lists.
    created_at     INTEGER NOT NULL,
    request_type   TEXT    NOT NULL CHECK (request_type IN ('url', 'forward')),
    user_id        BLOB    CHECK (length(user_id) = 16),
    input_url      TEXT,
    normalized_url TEXT,
    content_text   TEXT,
    -- Where a forwarded text comes from, as JSON.
    forward_json   TEXT,
    dedupe_hash    TEXT    NOT NULL CHECK (length(dedupe_hash) = 64),
    language       TEXT    NOT NULL,
    -- The failed request that this one repeats. It may have been purged.
    retry_of       BLOB    CHECK (length(retry_of) = 16),
    CHECK ((request_type = 'url') = (normalized_url IS NOT NULL)),
    CHECK ((request_type = 'forward') = (content_text IS NOT NULL))
) WITHOUT ROWID;

-- Which requests of a client are the newest?
CREATE INDEX link_requests_by_time ON link_requests (created_at DESC, run_id DESC);
CREATE INDEX link_requests_by_user ON link_requests (user_id, created_at DESC, run_id DESC);

-- The request that makes another one for the same a duplicate. A client without a key has the id 0.
CREATE TABLE link_hashes (
    user_id     BLOB NOT NULL CHECK (length(user_id) = 16),
    dedupe_hash TEXT NOT NULL CHECK (length(dedupe_hash) = 64),
    run_id      BLOB NOT NULL REFERENCES runs (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (user_id, dedupe_hash)
) WITHOUT ROWID;

-- Deleting a run deletes its row.
CREATE INDEX link_hashes_by_run ON link_hashes (run_id);

CREATE TABLE summaries (
    run_id       BLOB    NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    id           BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    language     TEXT    NOT NULL,
    json_payload TEXT    NOT NULL,
    made_by      TEXT    NOT NULL,
    -- Title, summary, tags and address in lower case, for searching.
    search_text  TEXT    NOT NULL,
    version      INTEGER NOT NULL CHECK (version >= 1),
    is_read      INTEGER NOT NULL CHECK (is_read IN (0, 1)),
    deleted_at   INTEGER,
    created_at   INTEGER NOT NULL
) WITHOUT ROWID;

-- Which summaries are the newest? How many are unread?
CREATE INDEX summaries_by_time ON summaries (created_at DESC, run_id DESC) WHERE deleted_at IS NULL;
CREATE INDEX summaries_unread ON summaries (run_id) WHERE deleted_at IS NULL AND is_read = 0;

CREATE TRIGGER link_requests_are_final BEFORE UPDATE ON link_requests
BEGIN
    SELECT RAISE(ABORT, 'what was asked of a run is kept');
END;

CREATE TRIGGER link_requests_are_kept BEFORE DELETE ON link_requests
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'what was asked of a run is kept');
END;

CREATE TRIGGER summaries_are_final
BEFORE UPDATE OF run_id, id, language, json_payload, made_by, search_text, version, created_at ON summaries
BEGIN
    SELECT RAISE(ABORT, 'the content of a summary is kept');
END;

CREATE TRIGGER summaries_are_kept BEFORE DELETE ON summaries
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'the content of a summary is kept');
END;
