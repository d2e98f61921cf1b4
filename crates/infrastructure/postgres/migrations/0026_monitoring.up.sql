-- Who asked for a run.
ALTER TABLE runs ADD COLUMN requested_by text;

-- Views for monitoring, with the names and the values of the API of proposals, in a schema of their own: `monitoring`, or
-- that of this installation with `_monitoring`. A role that may not create schemas goes without them.
DO $$
DECLARE
    place text := CASE current_schema() WHEN 'public' THEN 'monitoring' ELSE current_schema() || '_monitoring' END;
BEGIN
    IF to_regnamespace(quote_ident(place)) IS NULL THEN
        IF NOT has_database_privilege(current_database(), 'CREATE') THEN
            RAISE NOTICE 'the schema % is not created: the role may not create schemas', place;
            RETURN;
        END IF;
        EXECUTE format('CREATE SCHEMA %I', place);
    END IF;
    EXECUTE format($view$
        CREATE VIEW %I.runs AS
        SELECT r.id, r.pipeline, r.subject_id,
               CASE r.state WHEN 'TIMED_OUT' THEN 'failed' ELSE lower(r.state) END AS status,
               CASE r.priority WHEN 1 THEN 'high' ELSE 'normal' END AS priority,
               CASE WHEN i.parent_run_id IS NULL THEN 'initial' ELSE 'revision' END AS run_type,
               i.parent_run_id, r.retry_count, r.created_at, r.queued_at, r.started_at, r.completed_at,
               d.decision_label, d.overall_weighted_confidence, r.requested_by
        FROM runs r
        LEFT JOIN proposal_inputs i ON i.run_id = r.id
        LEFT JOIN proposal_decisions d ON d.run_id = r.id
    $view$, place);
    EXECUTE format($view$
        CREATE VIEW %I.step_progress AS
        SELECT s.run_id, s.step_name, s.step_order,
               CASE s.status WHEN 'SUCCEEDED' THEN 'completed' ELSE lower(s.status) END AS status,
               s.attempt, s.started_at, s.completed_at, s.error_code, s.error_message
        FROM step_progress s
    $view$, place);
END
$$;
