-- What calls to language models cost. They name their run, but stay when it is purged: a bill does not change.
CREATE TABLE model_calls (
    id           uuid             PRIMARY KEY,
    run_id       uuid,
    step_name    text,
    step_attempt int              NOT NULL DEFAULT 0 CHECK (step_attempt >= 0),
    credential   text,
    model        text             NOT NULL,
    tokens_in    bigint           NOT NULL CHECK (tokens_in >= 0),
    tokens_out   bigint           NOT NULL CHECK (tokens_out >= 0),
    cost         double precision CHECK (cost >= 0),
    latency_ms   bigint           NOT NULL CHECK (latency_ms >= 0),
    outcome      text             NOT NULL,
    created_at   timestamptz      NOT NULL
);

CREATE INDEX model_calls_by_run ON model_calls (run_id, created_at) WHERE run_id IS NOT NULL;
CREATE INDEX model_calls_by_time ON model_calls (created_at);

CREATE TRIGGER model_calls_are_final BEFORE UPDATE OR DELETE ON model_calls
FOR EACH ROW EXECUTE FUNCTION refuse('calls to models are append-only');

CREATE TRIGGER model_calls_are_not_emptied BEFORE TRUNCATE ON model_calls
FOR EACH STATEMENT EXECUTE FUNCTION refuse('calls to models are append-only');

-- The tokens of a day are counted by the calls now.
DROP INDEX interpretation_versions_by_tokens;
