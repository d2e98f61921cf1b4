-- The history. Events are the truth about what happened; step_progress is their projection, written with them;
-- step_events, run_attempts and document_processing_jobs are ways of looking at them.

CREATE TABLE events (
    -- Never cached by a session: with the trigger below, ids grow in the order of the commits.
    id         bigint      GENERATED ALWAYS AS IDENTITY (CACHE 1) PRIMARY KEY,
    at         timestamptz NOT NULL,
    event_type text        NOT NULL,
    pipeline   text,
    subject_id uuid,
    run_id     uuid,
    fence      int,
    worker_id  uuid,
    step_name  text,
    attempt    int CHECK (attempt >= 1),
    started_at timestamptz,
    error_code text,
    details    jsonb
);

CREATE INDEX events_by_run ON events (run_id) WHERE run_id IS NOT NULL;

-- Whoever appends waits until everybody who appended before has committed. Only then are ids drawn, so a reader
-- that has seen one will never find a smaller one appear. Writers append last, and hold this for one commit.
CREATE FUNCTION events_take_turns() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('quire_events ' || TG_TABLE_SCHEMA, 0));
    RETURN NULL;
END $$;

CREATE TRIGGER events_in_commit_order BEFORE INSERT ON events
FOR EACH STATEMENT EXECUTE FUNCTION events_take_turns();

CREATE TABLE step_progress (
    run_id        uuid        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step_name     text        NOT NULL CHECK (step_name IN (
        'EXTRACTION', 'INTERPRETATION', 'EMBEDDING',
        'expand', 'review_architect', 'review_critic', 'review_optimist', 'review_security',
        'review_user_advocate', 'aggregate_decision',
        'extraction', 'summarization')),
    step_order    smallint    NOT NULL CHECK (step_order >= 0),
    status        text        NOT NULL CHECK (status IN ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    attempt       int         NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    started_at    timestamptz,
    completed_at  timestamptz,
    error_code    text,
    error_message text,
    PRIMARY KEY (run_id, step_name)
);

CREATE TABLE artifacts (
    id            uuid        NOT NULL PRIMARY KEY,
    run_id        uuid        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    artifact_type text        NOT NULL,
    payload       text        NOT NULL,
    created_at    timestamptz NOT NULL
);

CREATE INDEX artifacts_by_run ON artifacts (run_id, artifact_type);

-- Append-only: nothing changes, and rows go only with the run they belong to (a purge of the whole subject).
CREATE FUNCTION keep_while_run_exists() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.run_id IS NULL OR EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id) THEN
        RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = '23514';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER events_are_final BEFORE UPDATE ON events
FOR EACH ROW EXECUTE FUNCTION refuse('events are append-only');

CREATE TRIGGER events_are_kept BEFORE DELETE ON events
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('events are append-only');

CREATE TRIGGER events_are_not_emptied BEFORE TRUNCATE ON events
FOR EACH STATEMENT EXECUTE FUNCTION refuse('events are append-only');

CREATE TRIGGER artifacts_are_final BEFORE UPDATE ON artifacts
FOR EACH ROW EXECUTE FUNCTION refuse('artifacts are append-only');

CREATE TRIGGER artifacts_are_kept BEFORE DELETE ON artifacts
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('artifacts are append-only');

CREATE TRIGGER artifacts_are_not_emptied BEFORE TRUNCATE ON artifacts
FOR EACH STATEMENT EXECUTE FUNCTION refuse('artifacts are append-only');

-- Events carry no foreign key: what inserts them has just compared the run's fence. The cascade is this trigger.
CREATE FUNCTION take_events_along() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM events WHERE run_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER runs_take_their_events AFTER DELETE ON runs
FOR EACH ROW EXECUTE FUNCTION take_events_along();

CREATE VIEW step_events AS
SELECT id, run_id, step_name,
       CASE event_type WHEN 'STEP_STARTED' THEN 'RUNNING'
                       WHEN 'STEP_SUCCEEDED' THEN 'SUCCEEDED'
                       ELSE 'FAILED' END AS step_status,
       attempt,
       CASE event_type WHEN 'STEP_STARTED' THEN at ELSE started_at END AS started_at,
       CASE event_type WHEN 'STEP_STARTED' THEN NULL ELSE at END AS ended_at,
       error_code, details
FROM events
WHERE event_type IN ('STEP_STARTED', 'STEP_SUCCEEDED', 'STEP_FAILED');

CREATE VIEW run_attempts AS
SELECT id, run_id, fence, worker_id, started_at, at AS ended_at, event_type AS outcome, error_code, details
FROM events
WHERE event_type IN ('RUN_COMPLETED', 'RUN_FAILED', 'RUN_TIMED_OUT', 'RUN_RECOVERED_AS_FAILED', 'RUN_REQUEUED');

CREATE VIEW document_processing_jobs AS
SELECT r.subject_id AS document_id,
       CASE r.state WHEN 'QUEUED' THEN 'PENDING'
                    WHEN 'RUNNING' THEN 'PROCESSING'
                    WHEN 'COMPLETED' THEN 'COMPLETED'
                    ELSE 'FAILED' END AS status,
       r.attempts, r.started_at, r.completed_at,
       (SELECT coalesce(json_agg(json_build_object(
                   'at', to_char(a.ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                   'attempt', a.place,
                   'stage', a.details -> 'failure' ->> 'stage',
                   'error_code', a.error_code,
                   'message', a.details -> 'failure' ->> 'message') ORDER BY a.id), '[]')::text
        FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM run_attempts WHERE run_id = r.id) a
        WHERE a.error_code IS NOT NULL) AS error_log,
       r.id AS run_id, r.created_at
FROM runs r
WHERE r.pipeline = 'document';
