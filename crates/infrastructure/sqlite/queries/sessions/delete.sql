DELETE FROM sessions WHERE secret_hash = ?1
