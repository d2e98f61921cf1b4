SELECT {model_call} FROM model_calls WHERE run_id = ?1 ORDER BY created_at, id
