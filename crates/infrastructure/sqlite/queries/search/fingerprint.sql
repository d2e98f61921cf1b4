SELECT s.signature, d.embedding_model, d.embedding
FROM search_documents s
JOIN documents d ON d.id = s.document_id
WHERE s.document_id = ?1
