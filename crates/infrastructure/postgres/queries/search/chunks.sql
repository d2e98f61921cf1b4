SELECT s.document_id, c.position, c.page, c.text, c.boxes
FROM unnest($1::uuid[], $2::integer[]) AS u (document_id, position)
JOIN search_documents s ON s.document_id = u.document_id
JOIN search_chunks c ON c.document_number = s.number AND c.position = u.position
