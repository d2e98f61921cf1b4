-- Deletes a few expired sessions. Each new session deletes more than one, so that expired sessions do not pile up.
DELETE FROM sessions
WHERE secret_hash IN (SELECT secret_hash FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
                      FOR UPDATE SKIP LOCKED)
