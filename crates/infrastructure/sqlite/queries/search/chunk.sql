SELECT s.document_id, c.position, c.page, c.text, c.boxes
FROM search_documents s
JOIN search_chunks c ON c.document_number = s.number AND c.position = ?2
WHERE s.document_id = ?1
