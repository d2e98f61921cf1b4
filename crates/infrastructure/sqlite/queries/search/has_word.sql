SELECT EXISTS (SELECT 1 FROM search_words WHERE search_words MATCH ?1)
