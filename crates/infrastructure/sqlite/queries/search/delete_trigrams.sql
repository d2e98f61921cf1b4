DELETE FROM search_trigrams WHERE term = ?1
