INSERT INTO api_keys (id, name, roles, secret_hash, created_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (name) DO NOTHING
