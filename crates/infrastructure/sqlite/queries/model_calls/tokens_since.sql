SELECT coalesce(sum(tokens_in + tokens_out), 0) AS tokens FROM model_calls WHERE created_at >= ?1
