-- The texts of the chunks of a document up to a position.
SELECT text FROM search_chunks WHERE document_number = ?1 AND position <= ?2
