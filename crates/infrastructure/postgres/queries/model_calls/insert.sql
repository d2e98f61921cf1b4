INSERT INTO model_calls
    (id, run_id, step_name, step_attempt, credential, model, tokens_in, tokens_out, cost, latency_ms, outcome, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (id) DO NOTHING
