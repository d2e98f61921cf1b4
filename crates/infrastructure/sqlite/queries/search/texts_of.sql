SELECT text FROM search_chunks WHERE document_number = ?1
