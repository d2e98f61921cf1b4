SELECT {session s},
       {api_key k}
FROM sessions s
LEFT JOIN api_keys k ON k.id = s.key_id
WHERE s.secret_hash = ?1 AND s.expires_at > ?2
