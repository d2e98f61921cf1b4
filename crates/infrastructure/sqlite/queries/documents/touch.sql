UPDATE documents SET updated_at = ?2 WHERE id = ?1
