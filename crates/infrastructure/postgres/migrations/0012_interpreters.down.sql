DROP INDEX interpretation_versions_by_tokens;
ALTER TABLE interpretation_versions DROP COLUMN model_tokens;
ALTER TABLE interpretation_versions DROP COLUMN made_by;
