-- A vector and where it belongs, if it still exists.
SELECT s.document_id, c.position, v.vector
FROM search_vectors v
JOIN search_chunks c ON c.id = v.chunk_id
JOIN search_documents s ON s.number = c.document_number
WHERE v.id = ?1
