-- What was taken in, and the work asked for on it.
-- Identifiers are 16-byte UUIDs; times are microseconds since 1970 in UTC.

CREATE TABLE documents (
    id                BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    original_filename TEXT    NOT NULL,
    content_type      TEXT    NOT NULL,
    file_size         INTEGER NOT NULL CHECK (file_size >= 0),
    content_hash      BLOB    NOT NULL CHECK (length(content_hash) = 32),
    storage_path      TEXT    NOT NULL,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL,
    review_status     TEXT    NOT NULL DEFAULT 'IN_REVIEW' CHECK (review_status IN ('IN_REVIEW', 'REVIEWED')),
    reviewed_at       INTEGER,
    reviewed_by       TEXT,
    reviewed_run_id   BLOB,
    language_override TEXT,
    CHECK ((review_status = 'REVIEWED') = (reviewed_at IS NOT NULL))
) WITHOUT ROWID;

CREATE TABLE runs (
    id             BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    pipeline       TEXT    NOT NULL CHECK (pipeline IN ('document', 'proposal', 'link')),
    subject_id     BLOB    NOT NULL CHECK (length(subject_id) = 16),
    state          TEXT    NOT NULL CHECK (state IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'TIMED_OUT')),
    -- The place among the subject's unfinished runs; see the domain's turn.rs.
    turn           TEXT,
    priority       INTEGER NOT NULL DEFAULT 0 CHECK (priority IN (0, 1)),
    -- The fencing token: every transition adds one, every write by an owner compares it.
    fence          INTEGER NOT NULL DEFAULT 0 CHECK (fence >= 0),
    attempts       INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    retry_count    INTEGER NOT NULL DEFAULT 0 CHECK (retry_count >= 0),
    created_at     INTEGER NOT NULL,
    queued_at      INTEGER NOT NULL,
    available_at   INTEGER,
    started_at     INTEGER,
    deadline_at    INTEGER,
    completed_at   INTEGER,
    worker_id      BLOB,
    correlation_id TEXT,
    failure_type   TEXT,
    error          TEXT,
    CHECK (attempts >= retry_count),
    -- A CHECK that comes out NULL passes, hence the IS NOT NULLs.
    CHECK (CASE state
        WHEN 'QUEUED'    THEN turn IS NOT NULL AND turn IN ('READY', 'DELAYED', 'BEHIND')
                              AND started_at IS NULL AND completed_at IS NULL
        WHEN 'RUNNING'   THEN turn IS NOT NULL AND turn = 'HELD' AND started_at IS NOT NULL AND completed_at IS NULL
        WHEN 'COMPLETED' THEN turn IS NULL AND completed_at IS NOT NULL AND failure_type IS NULL
        ELSE                  turn IS NULL AND completed_at IS NOT NULL AND failure_type IS NOT NULL
    END),
    CHECK (turn <> 'DELAYED' OR available_at IS NOT NULL)
) WITHOUT ROWID;

-- One run of a subject is at the front, and only the front can be RUNNING: never two at once.
CREATE UNIQUE INDEX runs_one_front_per_subject ON runs (subject_id, pipeline)
    WHERE turn IN ('READY', 'DELAYED', 'HELD');

-- What has ended stays as it is, but for a retry that a person asks for.
CREATE TRIGGER runs_terminal_is_final BEFORE UPDATE ON runs
WHEN OLD.state IN ('COMPLETED', 'FAILED', 'TIMED_OUT')
    AND NOT (OLD.state = 'FAILED' AND NEW.state = 'QUEUED' AND OLD.pipeline <> 'document')
BEGIN
    SELECT RAISE(ABORT, 'a run that has ended does not change');
END;
