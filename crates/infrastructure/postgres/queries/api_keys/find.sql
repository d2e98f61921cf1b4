SELECT id, name, roles, secret_hash, created_at, revoked_at FROM api_keys WHERE id = $1
