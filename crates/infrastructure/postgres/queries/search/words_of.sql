SELECT c.text
FROM search_documents s
JOIN search_chunks c ON c.document_number = s.number
WHERE s.document_id = ANY ($1) AND c.position BETWEEN $2 AND $3
