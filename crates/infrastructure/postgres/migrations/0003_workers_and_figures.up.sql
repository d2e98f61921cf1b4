-- Who is working, under which lease; and what happened, minute by minute.

CREATE TABLE workers (
    id          uuid        NOT NULL PRIMARY KEY,
    name        text        NOT NULL,
    slots       int         NOT NULL CHECK (slots >= 1),
    started_at  timestamptz NOT NULL,
    seen_at     timestamptz NOT NULL,
    -- Null when the lease is a lock held elsewhere.
    lease_until timestamptz,
    ended_at    timestamptz
);

CREATE TABLE figures (
    minute       timestamptz NOT NULL CHECK (mod(extract(epoch FROM minute), 60) = 0),
    pipeline     text        NOT NULL CHECK (pipeline IN ('document', 'proposal', 'link')),
    started      bigint      NOT NULL DEFAULT 0 CHECK (started >= 0),
    completed    bigint      NOT NULL DEFAULT 0 CHECK (completed >= 0),
    failed       bigint      NOT NULL DEFAULT 0 CHECK (failed >= 0),
    timed_out    bigint      NOT NULL DEFAULT 0 CHECK (timed_out >= 0),
    requeued     bigint      NOT NULL DEFAULT 0 CHECK (requeued >= 0),
    step_retries bigint      NOT NULL DEFAULT 0 CHECK (step_retries >= 0),
    recovered    bigint      NOT NULL DEFAULT 0 CHECK (recovered >= 0),
    refused      bigint      NOT NULL DEFAULT 0 CHECK (refused >= 0),
    duration_ms  bigint      NOT NULL DEFAULT 0 CHECK (duration_ms >= 0),
    queued       bigint      NOT NULL DEFAULT 0 CHECK (queued >= 0),
    oldest_ms    bigint      NOT NULL DEFAULT 0 CHECK (oldest_ms >= 0),
    PRIMARY KEY (minute, pipeline)
);
