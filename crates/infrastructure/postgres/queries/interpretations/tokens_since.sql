-- The index holds only the versions that a model helped to make.
SELECT least(coalesce(sum(model_tokens), 0), 9223372036854775807)::bigint AS tokens
FROM interpretation_versions
WHERE model_tokens > 0 AND created_at >= $1
