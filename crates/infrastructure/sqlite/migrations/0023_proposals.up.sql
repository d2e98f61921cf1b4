-- What was asked of proposal runs, and what their steps made of it. Each row is written once.

CREATE TABLE proposal_inputs (
    run_id               BLOB    NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    -- The time of the run, which orders lists.
    created_at           INTEGER NOT NULL,
    scope                TEXT    NOT NULL CHECK (scope IN ('full', 'expand', 'single_review')),
    -- A run is deleted together with its revisions.
    parent_run_id        BLOB    REFERENCES runs (id),
    user_id              BLOB    CHECK (length(user_id) = 16),
    input_idea           TEXT    NOT NULL,
    -- As JSON, like all columns below that are named so.
    extra_context        TEXT,
    model                TEXT    NOT NULL,
    temperature          REAL    NOT NULL CHECK (temperature BETWEEN 0 AND 2),
    parameters_json      TEXT    NOT NULL,
    schema_version       TEXT,
    prompt_set_version   TEXT,
    edited_proposal_json TEXT,
    edit_notes           TEXT
) WITHOUT ROWID;

-- Which proposal runs are the newest? Which revise a given run?
CREATE INDEX proposal_inputs_by_time ON proposal_inputs (created_at DESC, run_id DESC);
CREATE INDEX proposal_inputs_by_parent ON proposal_inputs (parent_run_id) WHERE parent_run_id IS NOT NULL;

CREATE TABLE proposal_versions (
    run_id                   BLOB    NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    expanded_proposal_json   TEXT    NOT NULL,
    proposal_diff_json       TEXT,
    persona_template_version TEXT    NOT NULL,
    edit_notes               TEXT,
    created_at               INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE persona_reviews (
    run_id                    BLOB    NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    persona_id                TEXT    NOT NULL,
    persona_name              TEXT    NOT NULL,
    review_json               TEXT    NOT NULL,
    confidence_score          REAL    NOT NULL CHECK (confidence_score BETWEEN 0 AND 1),
    blocking_issues_present   INTEGER NOT NULL CHECK (blocking_issues_present IN (0, 1)),
    security_concerns_present INTEGER NOT NULL CHECK (security_concerns_present IN (0, 1)),
    prompt_parameters_json    TEXT    NOT NULL,
    created_at                INTEGER NOT NULL,
    PRIMARY KEY (run_id, persona_id)
) WITHOUT ROWID;

CREATE TABLE proposal_decisions (
    run_id                      BLOB    NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    decision_json               TEXT    NOT NULL,
    overall_weighted_confidence REAL    NOT NULL CHECK (overall_weighted_confidence BETWEEN 0 AND 1),
    decision_label              TEXT    NOT NULL CHECK (decision_label IN ('approve', 'revise', 'reject')),
    created_at                  INTEGER NOT NULL
) WITHOUT ROWID;

-- Which decisions of a kind were made when? Which are above a confidence?
CREATE INDEX proposal_decisions_by_label ON proposal_decisions (decision_label, created_at);
CREATE INDEX proposal_decisions_by_confidence ON proposal_decisions (overall_weighted_confidence);

CREATE TRIGGER proposal_inputs_are_final BEFORE UPDATE ON proposal_inputs
BEGIN
    SELECT RAISE(ABORT, 'what was asked of a run is kept');
END;

CREATE TRIGGER proposal_inputs_are_kept BEFORE DELETE ON proposal_inputs
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'what was asked of a run is kept');
END;

CREATE TRIGGER proposal_versions_are_final BEFORE UPDATE ON proposal_versions
BEGIN
    SELECT RAISE(ABORT, 'proposals are append-only');
END;

CREATE TRIGGER proposal_versions_are_kept BEFORE DELETE ON proposal_versions
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'proposals are append-only');
END;

CREATE TRIGGER persona_reviews_are_final BEFORE UPDATE ON persona_reviews
BEGIN
    SELECT RAISE(ABORT, 'reviews of proposals are append-only');
END;

CREATE TRIGGER persona_reviews_are_kept BEFORE DELETE ON persona_reviews
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'reviews of proposals are append-only');
END;

CREATE TRIGGER proposal_decisions_are_final BEFORE UPDATE ON proposal_decisions
BEGIN
    SELECT RAISE(ABORT, 'decisions about proposals are append-only');
END;

CREATE TRIGGER proposal_decisions_are_kept BEFORE DELETE ON proposal_decisions
WHEN EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id)
BEGIN
    SELECT RAISE(ABORT, 'decisions about proposals are append-only');
END;
