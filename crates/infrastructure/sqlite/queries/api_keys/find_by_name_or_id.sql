SELECT {api_key} FROM api_keys WHERE name = ?1 OR id = ?2
