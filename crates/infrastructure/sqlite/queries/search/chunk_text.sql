SELECT text FROM search_chunks WHERE id = ?1
