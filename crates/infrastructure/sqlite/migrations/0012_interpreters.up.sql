-- Who understood a document: rules or a model, and at what price. Versions that people made, and those from before, have none.

ALTER TABLE interpretation_versions ADD COLUMN made_by TEXT;
ALTER TABLE interpretation_versions ADD COLUMN model_tokens INTEGER NOT NULL DEFAULT 0 CHECK (model_tokens >= 0);

-- What have models taken since midnight?
CREATE INDEX interpretation_versions_by_tokens ON interpretation_versions (created_at, model_tokens) WHERE model_tokens > 0;

-- As before, and neither of the new columns changes.
CREATE TRIGGER interpretation_versions_keep_their_maker BEFORE UPDATE OF made_by, model_tokens ON interpretation_versions
BEGIN
    SELECT RAISE(ABORT, 'versions are append-only');
END;
