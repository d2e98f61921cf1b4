SELECT coalesce(max(number), 0) FROM search_documents
