-- A run that leaves its schema open gets the chosen one with its interpretation.
DROP TRIGGER runs_schema_is_final ON runs;

CREATE TRIGGER runs_schema_is_final BEFORE UPDATE OF schema_name, schema_version ON runs
FOR EACH ROW
WHEN (OLD.schema_name IS DISTINCT FROM 'auto')
EXECUTE FUNCTION refuse('the schema of a run does not change');
