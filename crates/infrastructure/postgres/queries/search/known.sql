SELECT DISTINCT term FROM search_terms WHERE term = ANY ($1)
