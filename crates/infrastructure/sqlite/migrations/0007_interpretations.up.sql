-- What was understood, every version of it; how schemas change.

CREATE TABLE schema_versions (
    id             BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    schema_name    TEXT    NOT NULL,
    version_number INTEGER NOT NULL CHECK (version_number >= 1),
    definition     TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    created_by     TEXT    NOT NULL,
    change_summary TEXT,
    UNIQUE (schema_name, version_number)
) WITHOUT ROWID;

-- The schema by which a document is understood, and the version of it by which each of its runs does.
ALTER TABLE documents ADD COLUMN schema_name TEXT NOT NULL DEFAULT 'veterinary-record';
ALTER TABLE runs ADD COLUMN schema_name TEXT;
ALTER TABLE runs ADD COLUMN schema_version INTEGER CHECK ((schema_version IS NULL) = (schema_name IS NULL));

CREATE TRIGGER runs_schema_is_final BEFORE UPDATE OF schema_name, schema_version ON runs
BEGIN
    SELECT RAISE(ABORT, 'the schema of a run does not change');
END;

CREATE TABLE interpretation_versions (
    id             BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    run_id         BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    version_number INTEGER NOT NULL CHECK (version_number >= 1),
    data           TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    -- Null for the first version, which the run made itself.
    created_by     TEXT,
    is_active      INTEGER NOT NULL CHECK (is_active IN (0, 1)),
    -- Whether its edit touched the keys and not only their values; for those who govern schemas alone.
    pending_review INTEGER NOT NULL DEFAULT 0 CHECK (pending_review IN (0, 1)),
    UNIQUE (run_id, version_number)
) WITHOUT ROWID;

-- Exactly one version of a run is active: never two, by this index; never none, since one goes only when the next comes.
CREATE UNIQUE INDEX interpretation_versions_one_active ON interpretation_versions (run_id) WHERE is_active = 1;

CREATE TABLE field_changes (
    id                BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    interpretation_id BLOB    NOT NULL REFERENCES interpretation_versions (id) ON DELETE CASCADE,
    run_id            BLOB    NOT NULL,
    place             INTEGER NOT NULL CHECK (place >= 0),
    change_type       TEXT    NOT NULL CHECK (change_type IN ('ADD', 'UPDATE', 'DELETE')),
    field_id          BLOB    NOT NULL,
    field_key         TEXT    NOT NULL,
    field_path        TEXT    NOT NULL,
    value_type        TEXT    NOT NULL,
    -- As JSON.
    old_value         TEXT    NOT NULL,
    new_value         TEXT    NOT NULL,
    mapping_id        TEXT,
    UNIQUE (interpretation_id, place)
) WITHOUT ROWID;

CREATE TABLE structural_candidates (
    id               BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    schema_name      TEXT    NOT NULL,
    change_type      TEXT    NOT NULL CHECK (change_type IN ('NEW_KEY', 'KEY_RENAME', 'KEY_DEPRECATION', 'KEY_MAPPING')),
    -- Empty when there is none, so that two of the same are one.
    source_key       TEXT    NOT NULL,
    target_key       TEXT    NOT NULL,
    occurrence_count INTEGER NOT NULL CHECK (occurrence_count >= 1),
    status           TEXT    NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'DEFERRED')),
    is_critical      INTEGER NOT NULL CHECK (is_critical IN (0, 1)),
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    UNIQUE (schema_name, change_type, source_key, target_key)
) WITHOUT ROWID;

-- Which candidates are the most frequent?
CREATE INDEX structural_candidates_by_count ON structural_candidates (occurrence_count DESC, id);

CREATE TABLE structural_edits (
    id           BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    candidate_id BLOB    NOT NULL REFERENCES structural_candidates (id),
    document_id  BLOB    NOT NULL,
    run_id       BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    -- As JSON.
    evidence     TEXT,
    created_at   INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX structural_edits_of_candidate ON structural_edits (candidate_id, id);
CREATE INDEX structural_edits_of_run ON structural_edits (run_id);

CREATE TABLE governance_decisions (
    id                BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    candidate_id      BLOB    NOT NULL REFERENCES structural_candidates (id),
    decision_type     TEXT    NOT NULL CHECK (decision_type IN ('APPROVE', 'REJECT', 'DEFER', 'FLAG_CRITICAL')),
    previous_status   TEXT    NOT NULL,
    new_status        TEXT    NOT NULL,
    schema_version_id BLOB    REFERENCES schema_versions (id),
    reviewer_id       TEXT    NOT NULL,
    reason            TEXT,
    created_at        INTEGER NOT NULL
) WITHOUT ROWID;

-- What was decided, in the order of time?
CREATE INDEX governance_decisions_by_time ON governance_decisions (created_at, id);

-- Append-only: nothing changes but which version is active, and rows go only with the run they belong to.
CREATE TRIGGER interpretation_versions_are_final BEFORE UPDATE ON interpretation_versions
WHEN NOT (OLD.is_active = 1 AND NEW.is_active = 0 AND OLD.id = NEW.id AND OLD.run_id = NEW.run_id
          AND OLD.version_number = NEW.version_number AND OLD.data = NEW.data AND OLD.created_at = NEW.created_at
          AND OLD.created_by IS NEW.created_by AND OLD.pending_review = NEW.pending_review)
BEGIN
    SELECT RAISE(ABORT, 'versions are append-only');
END;

CREATE TRIGGER interpretation_versions_are_kept BEFORE DELETE ON interpretation_versions
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'versions are append-only');
END;

CREATE TRIGGER field_changes_are_final BEFORE UPDATE ON field_changes
BEGIN
    SELECT RAISE(ABORT, 'changes are append-only');
END;

CREATE TRIGGER field_changes_are_kept BEFORE DELETE ON field_changes
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'changes are append-only');
END;

CREATE TRIGGER structural_edits_are_final BEFORE UPDATE ON structural_edits
BEGIN
    SELECT RAISE(ABORT, 'structural edits are append-only');
END;

CREATE TRIGGER structural_edits_are_kept BEFORE DELETE ON structural_edits
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'structural edits are append-only');
END;

CREATE TRIGGER structural_candidates_are_kept BEFORE DELETE ON structural_candidates
BEGIN
    SELECT RAISE(ABORT, 'candidates are kept');
END;

CREATE TRIGGER schema_versions_are_final BEFORE UPDATE ON schema_versions
BEGIN
    SELECT RAISE(ABORT, 'schema versions are append-only');
END;

CREATE TRIGGER schema_versions_are_kept BEFORE DELETE ON schema_versions
BEGIN
    SELECT RAISE(ABORT, 'schema versions are append-only');
END;

CREATE TRIGGER governance_decisions_are_final BEFORE UPDATE ON governance_decisions
BEGIN
    SELECT RAISE(ABORT, 'decisions are append-only');
END;

CREATE TRIGGER governance_decisions_are_kept BEFORE DELETE ON governance_decisions
BEGIN
    SELECT RAISE(ABORT, 'decisions are append-only');
END;
