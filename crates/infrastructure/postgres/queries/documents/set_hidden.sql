UPDATE documents
SET hidden_at = $2, hidden_by = $3, updated_at = $4
WHERE id = $1
