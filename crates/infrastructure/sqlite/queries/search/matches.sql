-- The chunks that match, those of the newest documents first.
SELECT rowid FROM search_words WHERE search_words MATCH ?1 ORDER BY rowid DESC LIMIT ?2
