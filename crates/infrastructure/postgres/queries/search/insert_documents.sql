-- Gives documents a number that have none, and returns these with their names.
WITH added AS (
    INSERT INTO search_documents (document_id)
    SELECT id FROM documents WHERE id = ANY ($1) ORDER BY id
    ON CONFLICT (document_id) DO NOTHING
    RETURNING number, document_id
)
SELECT a.number, d.original_filename FROM added a JOIN documents d ON d.id = a.document_id
