-- The vectors of these documents, which are a JSON list of ids in hexadecimal.
SELECT v.id
FROM json_each(?1) ids
CROSS JOIN search_documents s ON s.document_id = unhex(ids.value)
CROSS JOIN search_chunks c ON c.document_number = s.number
CROSS JOIN search_vectors v ON v.chunk_id = c.id
WHERE v.model = ?2
