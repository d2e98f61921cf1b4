SELECT id AS document_id
FROM documents
WHERE content_hash = $1 AND id <> $2 AND hidden_at IS NULL
ORDER BY created_at DESC, id DESC
LIMIT $3
