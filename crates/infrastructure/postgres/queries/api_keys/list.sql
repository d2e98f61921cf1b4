SELECT id, name, roles, secret_hash, created_at, revoked_at FROM api_keys ORDER BY created_at, id
