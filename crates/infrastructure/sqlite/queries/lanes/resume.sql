-- Ends the pause, and also a closing that has not passed.
UPDATE lanes SET closed_until = NULL, reason = NULL, paused_at = NULL, paused_by = NULL
WHERE name = ?1 AND (paused_at IS NOT NULL OR closed_until > ?2)
