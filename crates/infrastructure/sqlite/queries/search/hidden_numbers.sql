-- The numbers of hidden documents, at most ?1.
SELECT s.number
FROM documents h INDEXED BY documents_hidden
CROSS JOIN search_documents s ON s.document_id = h.id
WHERE h.hidden_at IS NOT NULL
LIMIT ?1
