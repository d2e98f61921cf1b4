-- The history. Events are the truth about what happened; step_progress is their projection, written with them;
-- step_events, run_attempts and document_processing_jobs are ways of looking at them.

CREATE TABLE events (
    -- AUTOINCREMENT: an id is never used twice, even after a purge, so a reader's place stays valid.
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    event_type TEXT    NOT NULL,
    pipeline   TEXT,
    subject_id BLOB,
    run_id     BLOB,
    fence      INTEGER,
    worker_id  BLOB,
    step_name  TEXT,
    attempt    INTEGER CHECK (attempt >= 1),
    started_at INTEGER,
    error_code TEXT,
    details    TEXT
);

CREATE INDEX events_by_run ON events (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE step_progress (
    run_id        BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step_name     TEXT    NOT NULL CHECK (step_name IN (
        'EXTRACTION', 'INTERPRETATION', 'EMBEDDING',
        'expand', 'review_architect', 'review_critic', 'review_optimist', 'review_security',
        'review_user_advocate', 'aggregate_decision',
        'extraction', 'summarization')),
    step_order    INTEGER NOT NULL CHECK (step_order >= 0),
    status        TEXT    NOT NULL CHECK (status IN ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    attempt       INTEGER NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    started_at    INTEGER,
    completed_at  INTEGER,
    error_code    TEXT,
    error_message TEXT,
    PRIMARY KEY (run_id, step_name)
) WITHOUT ROWID;

CREATE TABLE artifacts (
    id            BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    run_id        BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    artifact_type TEXT    NOT NULL,
    payload       TEXT    NOT NULL,
    created_at    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX artifacts_by_run ON artifacts (run_id, artifact_type);

-- Append-only: nothing changes, and rows go only with the run they belong to (a purge of the whole subject).
CREATE TRIGGER events_are_final BEFORE UPDATE ON events
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

CREATE TRIGGER events_are_kept BEFORE DELETE ON events
WHEN OLD.run_id IS NULL OR EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'events are append-only');
END;

CREATE TRIGGER artifacts_are_final BEFORE UPDATE ON artifacts
BEGIN
    SELECT RAISE(ABORT, 'artifacts are append-only');
END;

CREATE TRIGGER artifacts_are_kept BEFORE DELETE ON artifacts
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'artifacts are append-only');
END;

-- Events carry no foreign key: what inserts them has just compared the run's fence. The cascade is this trigger.
CREATE TRIGGER runs_take_their_events AFTER DELETE ON runs
BEGIN
    DELETE FROM events WHERE run_id = OLD.id;
END;

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
       (SELECT json_group_array(json_object(
                   'at', strftime('%Y-%m-%dT%H:%M:%fZ', a.ended_at / 1000000.0, 'unixepoch'),
                   'attempt', a.place,
                   'stage', json_extract(a.details, '$.failure.stage'),
                   'error_code', a.error_code,
                   'message', json_extract(a.details, '$.failure.message')))
        FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM run_attempts WHERE run_id = r.id) a
        WHERE a.error_code IS NOT NULL) AS error_log,
       r.id AS run_id, r.created_at
FROM runs r
WHERE r.pipeline = 'document';
