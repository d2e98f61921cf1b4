-- Who understood a document: rules or a model, and at what price. Versions that people made, and those from before, have none.
-- Neither column ever changes: what is final is told by comparing whole rows.

-- transaction
ALTER TABLE interpretation_versions ADD COLUMN made_by text;
ALTER TABLE interpretation_versions ADD COLUMN model_tokens bigint NOT NULL DEFAULT 0;
ALTER TABLE interpretation_versions
    ADD CONSTRAINT interpretation_versions_model_tokens_check CHECK (model_tokens >= 0) NOT VALID;

-- Reads the table while others write.
-- no-transaction
ALTER TABLE interpretation_versions VALIDATE CONSTRAINT interpretation_versions_model_tokens_check;
-- What have models taken since midnight?
DROP INDEX CONCURRENTLY IF EXISTS interpretation_versions_by_tokens;
CREATE INDEX CONCURRENTLY interpretation_versions_by_tokens ON interpretation_versions (created_at, model_tokens)
    WHERE model_tokens > 0;
