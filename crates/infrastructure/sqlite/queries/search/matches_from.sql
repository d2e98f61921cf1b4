-- The chunks of the documents from this number on that match, those of the newest documents first.
SELECT rowid FROM search_words WHERE search_words MATCH ?1 AND rowid >= ?2 << 16 ORDER BY rowid DESC LIMIT ?3
