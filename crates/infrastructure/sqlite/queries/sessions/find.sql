-- A session lives no longer than its key.
SELECT s.secret_hash, s.key_id, s.token_proof, s.created_at, s.seen_at, s.expires_at,
       k.id, k.name, k.roles, k.secret_hash, k.created_at, k.revoked_at
FROM sessions s
LEFT JOIN api_keys k ON k.id = s.key_id
WHERE s.secret_hash = ?1 AND s.expires_at > ?2 AND k.revoked_at IS NULL
