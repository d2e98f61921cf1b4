SELECT number, document_id, language FROM search_documents WHERE document_id = ANY ($1)
