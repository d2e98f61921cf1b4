SELECT {api_key} FROM api_keys WHERE id = ?1
