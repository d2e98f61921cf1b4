-- What calls to language models cost. They name their run, but stay when it is purged: a bill does not change.
CREATE TABLE model_calls (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    run_id       BLOB    CHECK (length(run_id) = 16),
    step_name    TEXT,
    step_attempt INTEGER NOT NULL DEFAULT 0 CHECK (step_attempt >= 0),
    credential   TEXT,
    model        TEXT    NOT NULL,
    tokens_in    INTEGER NOT NULL CHECK (tokens_in >= 0),
    tokens_out   INTEGER NOT NULL CHECK (tokens_out >= 0),
    cost         REAL    CHECK (cost >= 0),
    latency_ms   INTEGER NOT NULL CHECK (latency_ms >= 0),
    outcome      TEXT    NOT NULL,
    created_at   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX model_calls_by_run ON model_calls (run_id, created_at) WHERE run_id IS NOT NULL;
CREATE INDEX model_calls_by_time ON model_calls (created_at);

CREATE TRIGGER model_calls_are_final BEFORE UPDATE ON model_calls
BEGIN
    SELECT RAISE(ABORT, 'calls to models are append-only');
END;

CREATE TRIGGER model_calls_are_kept BEFORE DELETE ON model_calls
BEGIN
    SELECT RAISE(ABORT, 'calls to models are append-only');
END;

-- The tokens of a day are counted by the calls now.
DROP INDEX interpretation_versions_by_tokens;
