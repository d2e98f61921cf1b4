-- A run that leaves its schema open gets the chosen one with its interpretation.
DROP TRIGGER runs_schema_is_final;

CREATE TRIGGER runs_schema_is_final BEFORE UPDATE OF schema_name, schema_version ON runs
WHEN OLD.schema_name IS NOT 'auto'
BEGIN
    SELECT RAISE(ABORT, 'the schema of a run does not change');
END;
