DROP TRIGGER runs_schema_is_final ON runs;

CREATE TRIGGER runs_schema_is_final BEFORE UPDATE OF schema_name, schema_version ON runs
FOR EACH ROW
EXECUTE FUNCTION refuse('the schema of a run does not change');
