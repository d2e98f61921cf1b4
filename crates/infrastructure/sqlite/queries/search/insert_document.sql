-- Gives the document a number, unless it has one.
INSERT INTO search_documents (document_id)
SELECT id FROM documents WHERE id = ?1
ON CONFLICT (document_id) DO NOTHING
RETURNING number
