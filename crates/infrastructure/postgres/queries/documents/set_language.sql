UPDATE documents
SET language_override = $2, updated_at = $3
WHERE id = $1
