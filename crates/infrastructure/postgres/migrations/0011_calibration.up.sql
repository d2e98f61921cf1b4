-- What reviews teach about confidence.

-- How often a key that was found one way stayed as it was, and how often it did not, in which surroundings and under which
-- policy.
CREATE TABLE calibration_aggregates (
    context_key    text COLLATE "C" NOT NULL,
    field_key      text COLLATE "C" NOT NULL,
    -- Empty when nothing is known of it, so that two of the same are one.
    mapping_id     text COLLATE "C" NOT NULL,
    policy_version text COLLATE "C" NOT NULL,
    accepts        int              NOT NULL CHECK (accepts >= 0),
    edits          int              NOT NULL CHECK (edits >= 0),
    standing       text             NOT NULL CHECK (standing IN ('neutral', 'boosted', 'demoted')),
    PRIMARY KEY (policy_version, context_key, field_key, mapping_id)
);

-- The same by the tenth of the confidence with which it was shown.
CREATE TABLE calibration_bins (
    context_key    text COLLATE "C" NOT NULL,
    field_key      text COLLATE "C" NOT NULL,
    mapping_id     text COLLATE "C" NOT NULL,
    policy_version text COLLATE "C" NOT NULL,
    bin            int              NOT NULL CHECK (bin BETWEEN 0 AND 9),
    accepts        int              NOT NULL CHECK (accepts >= 0),
    edits          int              NOT NULL CHECK (edits >= 0),
    PRIMARY KEY (policy_version, context_key, field_key, mapping_id, bin)
);

-- What exactly was learnt from a document when it was marked, so that exactly this can be taken back.
CREATE TABLE calibration_snapshots (
    id             uuid        NOT NULL PRIMARY KEY,
    document_id    uuid        NOT NULL,
    run_id         uuid        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    context_key    text        NOT NULL,
    policy_version text        NOT NULL,
    -- As JSON: keys, what found them, and whether a person changed them; never a value.
    signals        text        NOT NULL,
    applied_at     timestamptz NOT NULL,
    reverted_at    timestamptz
);

-- A document teaches once at a time.
CREATE UNIQUE INDEX calibration_snapshots_one_applied ON calibration_snapshots (document_id) WHERE reverted_at IS NULL;
CREATE INDEX calibration_snapshots_of_run ON calibration_snapshots (run_id);

-- Append-only, but that each is taken back once; rows go only with the run they belong to.
CREATE FUNCTION only_revert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.reverted_at IS NOT NULL OR NEW.reverted_at IS NULL
       OR (to_jsonb(OLD) - 'reverted_at') IS DISTINCT FROM (to_jsonb(NEW) - 'reverted_at') THEN
        RAISE EXCEPTION USING MESSAGE = 'what was learnt is append-only', ERRCODE = '23514';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER calibration_snapshots_are_final BEFORE UPDATE ON calibration_snapshots
FOR EACH ROW EXECUTE FUNCTION only_revert();
CREATE TRIGGER calibration_snapshots_are_kept BEFORE DELETE ON calibration_snapshots
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('what was learnt is append-only');
CREATE TRIGGER calibration_snapshots_are_not_emptied BEFORE TRUNCATE ON calibration_snapshots
FOR EACH STATEMENT EXECUTE FUNCTION refuse('what was learnt is append-only');
