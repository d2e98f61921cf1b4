DELETE FROM search_trigrams WHERE term = ANY ($1)
