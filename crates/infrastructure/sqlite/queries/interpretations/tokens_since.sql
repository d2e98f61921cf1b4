-- Only versions that a model had a part in are in the index.
SELECT coalesce(sum(model_tokens), 0) AS tokens
FROM interpretation_versions
WHERE model_tokens > 0 AND created_at >= ?1
