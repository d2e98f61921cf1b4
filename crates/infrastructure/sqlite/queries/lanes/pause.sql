UPDATE lanes SET paused_at = ?2, paused_by = ?3 WHERE name = ?1 AND paused_at IS NULL
