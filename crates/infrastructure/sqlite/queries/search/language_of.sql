SELECT language FROM search_documents WHERE number = ?1
