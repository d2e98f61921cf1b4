CREATE INDEX interpretation_versions_by_tokens ON interpretation_versions (created_at, model_tokens) WHERE model_tokens > 0;
DROP TABLE model_calls;
