UPDATE summaries
SET is_read = ?2
WHERE id = ?1 AND deleted_at IS NULL
