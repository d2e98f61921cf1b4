SELECT {api_key} FROM api_keys ORDER BY created_at, id
