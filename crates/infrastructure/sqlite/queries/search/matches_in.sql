-- The chunks of a document that match, at most ?3.
SELECT rowid
FROM search_words
WHERE search_words MATCH ?1 AND rowid BETWEEN ?2 << 16 AND (?2 << 16) + 65535
ORDER BY rowid DESC
LIMIT ?3
