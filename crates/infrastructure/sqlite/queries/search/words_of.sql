SELECT c.text
FROM search_documents s
JOIN search_chunks c ON c.document_number = s.number
WHERE s.document_id = ?1 AND c.position >= ?2 AND c.position <= ?3
