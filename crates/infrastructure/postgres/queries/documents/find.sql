SELECT {document}
FROM documents
WHERE id = $1
