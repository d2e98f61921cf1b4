DELETE FROM search_bands WHERE document_number = ?1
