SELECT EXISTS (SELECT 1 FROM search_terms WHERE term = ?1)
