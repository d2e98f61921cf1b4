INSERT INTO sessions (secret_hash, key_id, key_hash, token_proof, created_at, seen_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
