-- Who understood a document: rules or a model, and at what price. Versions that people made, and those from before, have none.
-- Neither column ever changes: what is final is told by comparing whole rows.

ALTER TABLE interpretation_versions ADD COLUMN made_by text;
ALTER TABLE interpretation_versions ADD COLUMN model_tokens bigint NOT NULL DEFAULT 0 CHECK (model_tokens >= 0);

-- What have models taken since midnight?
CREATE INDEX interpretation_versions_by_tokens ON interpretation_versions (created_at, model_tokens) WHERE model_tokens > 0;
