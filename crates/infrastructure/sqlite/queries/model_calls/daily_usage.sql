-- A day has 86,400,000,000 microseconds.
SELECT created_at - created_at % 86400000000 AS usage_day, credential AS usage_credential, model AS usage_model,
       count(*) AS usage_calls,
       count(*) FILTER (WHERE outcome <> ?3) AS usage_failed,
       coalesce(sum(tokens_in), 0) AS usage_tokens_in,
       coalesce(sum(tokens_out), 0) AS usage_tokens_out,
       sum(cost) AS usage_cost,
       coalesce(sum(latency_ms), 0) AS usage_latency_ms
FROM model_calls
WHERE created_at >= ?1 AND created_at < ?2
GROUP BY 1, 2, 3
ORDER BY 1, coalesce(credential, ''), 3
