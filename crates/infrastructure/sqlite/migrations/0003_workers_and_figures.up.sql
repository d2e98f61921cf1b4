-- Who is working, under which lease; and what happened, minute by minute.

CREATE TABLE workers (
    id          BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    name        TEXT    NOT NULL,
    slots       INTEGER NOT NULL CHECK (slots >= 1),
    started_at  INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL,
    -- Null when the lease is the lock on the database file itself.
    lease_until INTEGER,
    ended_at    INTEGER
) WITHOUT ROWID;

CREATE TABLE figures (
    minute       INTEGER NOT NULL CHECK (minute % 60000000 = 0),
    pipeline     TEXT    NOT NULL CHECK (pipeline IN ('document', 'proposal', 'link')),
    started      INTEGER NOT NULL DEFAULT 0 CHECK (started >= 0),
    completed    INTEGER NOT NULL DEFAULT 0 CHECK (completed >= 0),
    failed       INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0),
    timed_out    INTEGER NOT NULL DEFAULT 0 CHECK (timed_out >= 0),
    requeued     INTEGER NOT NULL DEFAULT 0 CHECK (requeued >= 0),
    step_retries INTEGER NOT NULL DEFAULT 0 CHECK (step_retries >= 0),
    recovered    INTEGER NOT NULL DEFAULT 0 CHECK (recovered >= 0),
    refused      INTEGER NOT NULL DEFAULT 0 CHECK (refused >= 0),
    duration_ms  INTEGER NOT NULL DEFAULT 0 CHECK (duration_ms >= 0),
    queued       INTEGER NOT NULL DEFAULT 0 CHECK (queued >= 0),
    oldest_ms    INTEGER NOT NULL DEFAULT 0 CHECK (oldest_ms >= 0),
    PRIMARY KEY (minute, pipeline)
) WITHOUT ROWID;
