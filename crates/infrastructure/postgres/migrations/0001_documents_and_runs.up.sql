-- What was taken in, and the work asked for on it.

CREATE TABLE documents (
    id                uuid        NOT NULL PRIMARY KEY,
    original_filename text        NOT NULL,
    content_type      text        NOT NULL,
    file_size         bigint      NOT NULL CHECK (file_size >= 0),
    content_hash      bytea       NOT NULL CHECK (length(content_hash) = 32),
    storage_path      text        NOT NULL,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    review_status     text        NOT NULL DEFAULT 'IN_REVIEW' CHECK (review_status IN ('IN_REVIEW', 'REVIEWED')),
    reviewed_at       timestamptz,
    reviewed_by       text,
    reviewed_run_id   uuid,
    language_override text,
    CHECK ((review_status = 'REVIEWED') = (reviewed_at IS NOT NULL))
);

CREATE TABLE runs (
    id             uuid        NOT NULL PRIMARY KEY,
    pipeline       text        NOT NULL CHECK (pipeline IN ('document', 'proposal', 'link')),
    subject_id     uuid        NOT NULL,
    state          text        NOT NULL CHECK (state IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'TIMED_OUT')),
    -- The place among the subject's unfinished runs; see the domain's turn.rs.
    turn           text,
    priority       smallint    NOT NULL DEFAULT 0 CHECK (priority IN (0, 1)),
    -- The fencing token: every transition adds one, every write by an owner compares it.
    fence          int         NOT NULL DEFAULT 0 CHECK (fence >= 0),
    attempts       int         NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    retry_count    int         NOT NULL DEFAULT 0 CHECK (retry_count >= 0),
    created_at     timestamptz NOT NULL,
    queued_at      timestamptz NOT NULL,
    available_at   timestamptz,
    started_at     timestamptz,
    deadline_at    timestamptz,
    completed_at   timestamptz,
    worker_id      uuid,
    correlation_id text,
    failure_type   text,
    error          jsonb,
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
)
-- Every run leaves two dead rows behind on its way, and dead entries at the head of the queue's index are what a
-- claim would have to step over. A fifth of a large table is too long to wait for.
WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- One run of a subject is at the front, and only the front can be RUNNING: never two at once.
CREATE UNIQUE INDEX runs_one_front_per_subject ON runs (subject_id, pipeline)
    WHERE turn IN ('READY', 'DELAYED', 'HELD');

-- Says no, in the words of the trigger that calls it.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = '23514';
END $$;

-- What has ended stays as it is, but for a retry that a person asks for. The condition stands here and not in the
-- function, so that the many updates it allows call nothing.
CREATE TRIGGER runs_terminal_is_final BEFORE UPDATE ON runs
FOR EACH ROW
WHEN (OLD.state IN ('COMPLETED', 'FAILED', 'TIMED_OUT')
      AND NOT (OLD.state = 'FAILED' AND NEW.state = 'QUEUED' AND OLD.pipeline <> 'document'))
EXECUTE FUNCTION refuse('a run that has ended does not change');
