-- The index holds only the versions that a model helped to make.
SELECT coalesce(sum(model_tokens), 0) AS tokens
FROM interpretation_versions
WHERE model_tokens > 0 AND created_at >= ?1
