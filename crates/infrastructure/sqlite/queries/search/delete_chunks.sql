DELETE FROM search_chunks WHERE document_number = ?1 AND position BETWEEN ?2 AND ?3
