-- Only versions that a model had a part in are in the index.
SELECT least(coalesce(sum(model_tokens), 0), 9223372036854775807)::bigint AS tokens
FROM interpretation_versions
WHERE model_tokens > 0 AND created_at >= $1
