DELETE FROM search_terms WHERE term = ?1
