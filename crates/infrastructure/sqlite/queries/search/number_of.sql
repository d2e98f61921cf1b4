SELECT number FROM search_documents WHERE document_id = ?1
