-- What was asked of proposal runs, and what their steps made of it. Each row is written once.

CREATE TABLE proposal_inputs (
    run_id               uuid             NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    -- The time of the run, which orders lists.
    created_at           timestamptz      NOT NULL,
    scope                text             NOT NULL CHECK (scope IN ('full', 'expand', 'single_review')),
    -- A run is deleted together with its revisions.
    parent_run_id        uuid             REFERENCES runs (id) ON DELETE CASCADE,
    user_id              uuid,
    input_idea           text             NOT NULL,
    extra_context        jsonb,
    model                text             NOT NULL,
    temperature          double precision NOT NULL CHECK (temperature BETWEEN 0 AND 2),
    parameters_json      jsonb            NOT NULL,
    schema_version       text,
    prompt_set_version   text,
    edited_proposal_json jsonb,
    edit_notes           text
);

-- Which proposal runs are the newest? Which revise a given run?
CREATE INDEX proposal_inputs_by_time ON proposal_inputs (created_at DESC, run_id DESC);
CREATE INDEX proposal_inputs_by_parent ON proposal_inputs (parent_run_id) WHERE parent_run_id IS NOT NULL;

CREATE TABLE proposal_versions (
    run_id                   uuid        NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    expanded_proposal_json   jsonb       NOT NULL,
    proposal_diff_json       jsonb,
    persona_template_version text        NOT NULL,
    edit_notes               text,
    created_at               timestamptz NOT NULL
);

CREATE TABLE persona_reviews (
    run_id                    uuid             NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    persona_id                text             NOT NULL,
    persona_name              text             NOT NULL,
    review_json               jsonb            NOT NULL,
    confidence_score          double precision NOT NULL CHECK (confidence_score BETWEEN 0 AND 1),
    blocking_issues_present   boolean          NOT NULL,
    security_concerns_present boolean          NOT NULL,
    prompt_parameters_json    jsonb            NOT NULL,
    created_at                timestamptz      NOT NULL,
    PRIMARY KEY (run_id, persona_id)
);

CREATE TABLE proposal_decisions (
    run_id                      uuid             NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    decision_json               jsonb            NOT NULL,
    overall_weighted_confidence double precision NOT NULL CHECK (overall_weighted_confidence BETWEEN 0 AND 1),
    decision_label              text             NOT NULL CHECK (decision_label IN ('approve', 'revise', 'reject')),
    created_at                  timestamptz      NOT NULL
);

-- Which decisions of a kind were made when? Which are above a confidence?
CREATE INDEX proposal_decisions_by_label ON proposal_decisions (decision_label, created_at);
CREATE INDEX proposal_decisions_by_confidence ON proposal_decisions (overall_weighted_confidence);

CREATE TRIGGER proposal_inputs_are_final BEFORE UPDATE ON proposal_inputs
FOR EACH ROW EXECUTE FUNCTION refuse('what was asked of a run is kept');
CREATE TRIGGER proposal_inputs_are_kept BEFORE DELETE ON proposal_inputs
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('what was asked of a run is kept');

CREATE TRIGGER proposal_versions_are_final BEFORE UPDATE ON proposal_versions
FOR EACH ROW EXECUTE FUNCTION refuse('proposals are append-only');
CREATE TRIGGER proposal_versions_are_kept BEFORE DELETE ON proposal_versions
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('proposals are append-only');

CREATE TRIGGER persona_reviews_are_final BEFORE UPDATE ON persona_reviews
FOR EACH ROW EXECUTE FUNCTION refuse('reviews of proposals are append-only');
CREATE TRIGGER persona_reviews_are_kept BEFORE DELETE ON persona_reviews
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('reviews of proposals are append-only');

CREATE TRIGGER proposal_decisions_are_final BEFORE UPDATE ON proposal_decisions
FOR EACH ROW EXECUTE FUNCTION refuse('decisions about proposals are append-only');
CREATE TRIGGER proposal_decisions_are_kept BEFORE DELETE ON proposal_decisions
FOR EACH ROW EXECUTE FUNCTION keep_while_run_exists('decisions about proposals are append-only');
