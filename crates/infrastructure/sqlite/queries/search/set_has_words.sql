UPDATE search_documents SET has_words = 1 WHERE number = ?1
