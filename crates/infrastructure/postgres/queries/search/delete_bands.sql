DELETE FROM search_bands WHERE document_number = ANY ($1)
