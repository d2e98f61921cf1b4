SELECT least(coalesce(sum(tokens_in + tokens_out), 0), 9223372036854775807)::bigint AS tokens
FROM model_calls
WHERE created_at >= $1
