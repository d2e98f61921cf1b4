SELECT count(*) AS usage_calls,
       count(*) FILTER (WHERE outcome <> ?2) AS usage_failed,
       coalesce(sum(tokens_in), 0) AS usage_tokens_in,
       coalesce(sum(tokens_out), 0) AS usage_tokens_out,
       sum(cost) AS usage_cost,
       coalesce(sum(latency_ms), 0) AS usage_latency_ms
FROM model_calls
WHERE run_id = ?1
