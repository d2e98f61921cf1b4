-- The documents from number ?2 to ?3 that have the words, the newest first.
SELECT rowid
FROM search_words_of_documents
WHERE search_words_of_documents MATCH ?1 AND rowid BETWEEN ?2 AND ?3
ORDER BY rowid DESC
LIMIT ?4
