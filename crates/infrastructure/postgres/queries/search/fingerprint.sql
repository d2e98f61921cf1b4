-- With or without pgvector, the vector is a list of numbers when it is written as a text.
SELECT s.signature, d.embedding_model, d.embedding::text AS embedding
FROM search_documents s
JOIN documents d ON d.id = s.document_id
WHERE s.document_id = $1
