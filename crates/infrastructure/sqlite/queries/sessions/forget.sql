-- A few at a time: each session that begins makes room for more than one.
DELETE FROM sessions
WHERE secret_hash IN (SELECT secret_hash FROM sessions WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)
