-- What reviews teach about confidence.

-- How often a key that was found one way stayed as it was, and how often it did not, in which surroundings and under which
-- policy.
CREATE TABLE calibration_aggregates (
    context_key    TEXT    NOT NULL,
    field_key      TEXT    NOT NULL,
    -- Empty when nothing is known of it, so that two of the same are one.
    mapping_id     TEXT    NOT NULL,
    policy_version TEXT    NOT NULL,
    accepts        INTEGER NOT NULL CHECK (accepts >= 0),
    edits          INTEGER NOT NULL CHECK (edits >= 0),
    standing       TEXT    NOT NULL CHECK (standing IN ('neutral', 'boosted', 'demoted')),
    PRIMARY KEY (policy_version, context_key, field_key, mapping_id)
) WITHOUT ROWID;

-- The same by the tenth of the confidence with which it was shown.
CREATE TABLE calibration_bins (
    context_key    TEXT    NOT NULL,
    field_key      TEXT    NOT NULL,
    mapping_id     TEXT    NOT NULL,
    policy_version TEXT    NOT NULL,
    bin            INTEGER NOT NULL CHECK (bin BETWEEN 0 AND 9),
    accepts        INTEGER NOT NULL CHECK (accepts >= 0),
    edits          INTEGER NOT NULL CHECK (edits >= 0),
    PRIMARY KEY (policy_version, context_key, field_key, mapping_id, bin)
) WITHOUT ROWID;

-- What exactly was learnt from a document when it was marked, so that exactly this can be taken back.
CREATE TABLE calibration_snapshots (
    id             BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    document_id    BLOB    NOT NULL,
    run_id         BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    context_key    TEXT    NOT NULL,
    policy_version TEXT    NOT NULL,
    -- As JSON: keys, what found them, and whether a person changed them; never a value.
    signals        TEXT    NOT NULL,
    applied_at     INTEGER NOT NULL,
    reverted_at    INTEGER
) WITHOUT ROWID;

-- A document teaches once at a time.
CREATE UNIQUE INDEX calibration_snapshots_one_applied ON calibration_snapshots (document_id) WHERE reverted_at IS NULL;
CREATE INDEX calibration_snapshots_of_run ON calibration_snapshots (run_id);

-- Append-only, but that each is taken back once; rows go only with the run they belong to.
CREATE TRIGGER calibration_snapshots_are_final BEFORE UPDATE ON calibration_snapshots
WHEN NOT (OLD.reverted_at IS NULL AND NEW.reverted_at IS NOT NULL AND OLD.id = NEW.id
          AND OLD.document_id = NEW.document_id AND OLD.run_id = NEW.run_id AND OLD.context_key = NEW.context_key
          AND OLD.policy_version = NEW.policy_version AND OLD.signals = NEW.signals AND OLD.applied_at = NEW.applied_at)
BEGIN
    SELECT RAISE(ABORT, 'what was learnt is append-only');
END;

CREATE TRIGGER calibration_snapshots_are_kept BEFORE DELETE ON calibration_snapshots
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'what was learnt is append-only');
END;
