DO $$
DECLARE
    place text := CASE current_schema() WHEN 'public' THEN 'monitoring' ELSE current_schema() || '_monitoring' END;
BEGIN
    IF to_regnamespace(quote_ident(place)) IS NOT NULL THEN
        EXECUTE format('DROP VIEW IF EXISTS %I.runs, %I.step_progress', place, place);
        BEGIN
            EXECUTE format('DROP SCHEMA %I', place);
        EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN
            NULL; -- It holds something else, or belongs to somebody else.
        END;
    END IF;
END
$$;

ALTER TABLE runs DROP COLUMN requested_by;
