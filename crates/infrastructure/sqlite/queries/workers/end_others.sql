UPDATE workers SET ended_at = ?1 WHERE ended_at IS NULL
