SELECT id, vector FROM search_vectors WHERE id > ?1 AND model = ?2 ORDER BY id LIMIT ?3
