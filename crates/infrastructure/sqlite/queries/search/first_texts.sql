-- The first chunks of a document.
SELECT id, text FROM search_chunks WHERE document_number = ?1 ORDER BY position LIMIT ?2
