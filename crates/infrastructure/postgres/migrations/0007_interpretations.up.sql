-- What was understood, every version of it; how schemas change.

CREATE TABLE schema_versions (
    id             uuid        NOT NULL PRIMARY KEY,
    schema_name    text        NOT NULL,
    version_number int         NOT NULL CHECK (version_number >= 1),
    definition     text        NOT NULL,
    created_at     timestamptz NOT NULL,
    created_by     text        NOT NULL,
    change_summary text,
    UNIQUE (schema_name, version_number)
);

-- The schema by which a document is understood, and the version of it by which each of its runs does.
ALTER TABLE documents ADD COLUMN schema_name text NOT NULL DEFAULT 'veterinary-record';
ALTER TABLE runs ADD COLUMN schema_name text;
ALTER TABLE runs ADD COLUMN schema_version int CHECK ((schema_version IS NULL) = (schema_name IS NULL));

-- Fires only for a statement that names the columns, so that the many updates of runs pay nothing.
CREATE TRIGGER runs_schema_is_final BEFORE UPDATE OF schema_name, schema_version ON runs
FOR EACH ROW
EXECUTE FUNCTION refuse('the schema of a run does not change');

CREATE TABLE interpretation_versions (
    id             uuid        NOT NULL PRIMARY KEY,
    run_id         uuid        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    version_number int         NOT NULL CHECK (version_number >= 1),
    data           text        NOT NULL,
    created_at     timestamptz NOT NULL,
    -- Null for the first version, which the run made itself.
    created_by     text,
    is_active      boolean     NOT NULL,
    -- Whether its edit touched the keys and not only their values; for those who govern schemas alone.
    pending_review boolean     NOT NULL DEFAULT false,
    UNIQUE (run_id, version_number)
);

-- Exactly one version of a run is active: never two, by this index; never none, since one goes only when the next comes.
CREATE UNIQUE INDEX interpretation_versions_one_active ON interpretation_versions (run_id) WHERE is_active;

CREATE TABLE field_changes (
    id                uuid NOT NULL PRIMARY KEY,
    interpretation_id uuid NOT NULL REFERENCES interpretation_versions (id) ON DELETE CASCADE,
    run_id            uuid NOT NULL,
    place             int  NOT NULL CHECK (place >= 0),
    change_type       text NOT NULL CHECK (change_type IN ('ADD', 'UPDATE', 'DELETE')),
    field_id          uuid NOT NULL,
    field_key         text NOT NULL,
    field_path        text NOT NULL,
    value_type        text NOT NULL,
    -- As JSON.
    old_value         text NOT NULL,
    new_value         text NOT NULL,
    mapping_id        text,
    UNIQUE (interpretation_id, place)
);

CREATE TABLE structural_candidates (
    id               uuid        NOT NULL PRIMARY KEY,
    schema_name      text        NOT NULL,
    change_type      text        NOT NULL
        CHECK (change_type IN ('NEW_KEY', 'KEY_RENAME', 'KEY_DEPRECATION', 'KEY_MAPPING')),
    -- Empty when there is none, so that two of the same are one.
    source_key       text        NOT NULL,
    target_key       text        NOT NULL,
    occurrence_count int         NOT NULL CHECK (occurrence_count >= 1),
    status           text        NOT NULL CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED', 'DEFERRED')),
    is_critical      boolean     NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    UNIQUE (schema_name, change_type, source_key, target_key)
);

-- Which candidates are the most frequent?
CREATE INDEX structural_candidates_by_count ON structural_candidates (occurrence_count DESC, id);

CREATE TABLE structural_edits (
    id           uuid        NOT NULL PRIMARY KEY,
    candidate_id uuid        NOT NULL REFERENCES structural_candidates (id),
    document_id  uuid        NOT NULL,
    run_id       uuid        NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    -- As JSON.
    evidence     text,
    created_at   timestamptz NOT NULL
);

CREATE INDEX structural_edits_of_candidate ON structural_edits (candidate_id, id);
CREATE INDEX structural_edits_of_run ON structural_edits (run_id);

CREATE TABLE governance_decisions (
    id                uuid        NOT NULL PRIMARY KEY,
    candidate_id      uuid        NOT NULL REFERENCES structural_candidates (id),
    decision_type     text        NOT NULL CHECK (decision_type IN ('APPROVE', 'REJECT', 'DEFER', 'FLAG_CRITICAL')),
    previous_status   text        NOT NULL,
    new_status        text        NOT NULL,
    schema_version_id uuid        REFERENCES schema_versions (id),
    reviewer_id       text        NOT NULL,
    reason            text,
    created_at        timestamptz NOT NULL
);

-- What was decided, in the order of time?
CREATE INDEX governance_decisions_by_time ON governance_decisions (created_at, id);

-- Append-only: nothing changes but which version is active, and rows go only with the run they belong to.
CREATE FUNCTION only_deactivate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (OLD.is_active AND NOT NEW.is_active)
       OR (to_jsonb(OLD) - 'is_active') IS DISTINCT FROM (to_jsonb(NEW) - 'is_active') THEN
        RAISE EXCEPTION USING MESSAGE = 'versions are append-only', ERRCODE = '23514';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER interpretation_versions_are_final BEFORE UPDATE ON interpretation_versions
FOR EACH ROW EXECUTE FUNCTION only_deactivate();
CREATE TRIGGER interpretation_versions_are_kept BEFORE DELETE ON interpretation_versions
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('versions are append-only');
CREATE TRIGGER interpretation_versions_are_not_emptied BEFORE TRUNCATE ON interpretation_versions
FOR EACH STATEMENT EXECUTE FUNCTION refuse('versions are append-only');

CREATE TRIGGER field_changes_are_final BEFORE UPDATE ON field_changes
FOR EACH ROW EXECUTE FUNCTION refuse('changes are append-only');
CREATE TRIGGER field_changes_are_kept BEFORE DELETE ON field_changes
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('changes are append-only');
CREATE TRIGGER field_changes_are_not_emptied BEFORE TRUNCATE ON field_changes
FOR EACH STATEMENT EXECUTE FUNCTION refuse('changes are append-only');

CREATE TRIGGER structural_edits_are_final BEFORE UPDATE ON structural_edits
FOR EACH ROW EXECUTE FUNCTION refuse('structural edits are append-only');
CREATE TRIGGER structural_edits_are_kept BEFORE DELETE ON structural_edits
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('structural edits are append-only');
CREATE TRIGGER structural_edits_are_not_emptied BEFORE TRUNCATE ON structural_edits
FOR EACH STATEMENT EXECUTE FUNCTION refuse('structural edits are append-only');

CREATE TRIGGER structural_candidates_are_kept BEFORE DELETE ON structural_candidates
FOR EACH ROW EXECUTE FUNCTION refuse('candidates are kept');

CREATE TRIGGER schema_versions_are_final BEFORE UPDATE OR DELETE ON schema_versions
FOR EACH ROW EXECUTE FUNCTION refuse('schema versions are append-only');
CREATE TRIGGER schema_versions_are_not_emptied BEFORE TRUNCATE ON schema_versions
FOR EACH STATEMENT EXECUTE FUNCTION refuse('schema versions are append-only');

CREATE TRIGGER governance_decisions_are_final BEFORE UPDATE OR DELETE ON governance_decisions
FOR EACH ROW EXECUTE FUNCTION refuse('decisions are append-only');
CREATE TRIGGER governance_decisions_are_not_emptied BEFORE TRUNCATE ON governance_decisions
FOR EACH STATEMENT EXECUTE FUNCTION refuse('decisions are append-only');
