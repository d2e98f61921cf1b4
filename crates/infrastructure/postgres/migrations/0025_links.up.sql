-- What was asked of link runs, which request of a client is the current one for an address, and the summaries.

CREATE TABLE link_requests (
    run_id         uuid        NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    -- The time of the run, which orders lists.
    created_at     timestamptz NOT NULL,
    request_type   text        NOT NULL CHECK (request_type IN ('url', 'forward')),
    user_id        uuid,
    input_url      text,
    normalized_url text,
    content_text   text,
    -- Where a forwarded text comes from, as JSON.
    forward_json   text,
    dedupe_hash    text        NOT NULL CHECK (length(dedupe_hash) = 64),
    language       text        NOT NULL,
    -- The failed request that this one repeats. It may have been purged.
    retry_of       uuid,
    CHECK ((request_type = 'url') = (normalized_url IS NOT NULL)),
    CHECK ((request_type = 'forward') = (content_text IS NOT NULL))
);

-- Which requests of a client are the newest?
CREATE INDEX link_requests_by_time ON link_requests (created_at DESC, run_id DESC);
CREATE INDEX link_requests_by_user ON link_requests (user_id, created_at DESC, run_id DESC);

-- The request that makes another one for the same a duplicate. A client without a key has the id 0.
CREATE TABLE link_hashes (
    user_id     uuid NOT NULL,
    dedupe_hash text NOT NULL CHECK (length(dedupe_hash) = 64),
    run_id      uuid NOT NULL REFERENCES runs (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (user_id, dedupe_hash)
);

-- Deleting a run deletes its row.
CREATE INDEX link_hashes_by_run ON link_hashes (run_id);

CREATE TABLE summaries (
    run_id       uuid        NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    id           uuid        NOT NULL UNIQUE,
    language     text        NOT NULL,
    -- JSON as a text: it may hold escapes that jsonb refuses, and nothing in the database looks into it.
    json_payload text        NOT NULL,
    made_by      text        NOT NULL,
    -- Title, summary, tags and address in lower case, for searching.
    search_text  text        NOT NULL,
    version      integer     NOT NULL CHECK (version >= 1),
    is_read      boolean     NOT NULL,
    deleted_at   timestamptz,
    created_at   timestamptz NOT NULL
);

-- Which summaries are the newest? How many are unread?
CREATE INDEX summaries_by_time ON summaries (created_at DESC, run_id DESC) WHERE deleted_at IS NULL;
CREATE INDEX summaries_unread ON summaries (run_id) WHERE deleted_at IS NULL AND NOT is_read;

CREATE TRIGGER link_requests_are_final BEFORE UPDATE ON link_requests
FOR EACH ROW EXECUTE FUNCTION refuse('what was asked of a run is kept');
CREATE TRIGGER link_requests_are_kept BEFORE DELETE ON link_requests
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('what was asked of a run is kept');

CREATE TRIGGER summaries_are_final
BEFORE UPDATE OF run_id, id, language, json_payload, made_by, search_text, version, created_at ON summaries
FOR EACH ROW EXECUTE FUNCTION refuse('the content of a summary is kept');
CREATE TRIGGER summaries_are_kept BEFORE DELETE ON summaries
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('the content of a summary is kept');
