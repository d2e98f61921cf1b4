DROP TRIGGER runs_schema_is_final;

CREATE TRIGGER runs_schema_is_final BEFORE UPDATE OF schema_name, schema_version ON runs
BEGIN
    SELECT RAISE(ABORT, 'the schema of a run does not change');
END;
