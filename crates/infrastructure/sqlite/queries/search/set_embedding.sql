UPDATE documents
SET embedding = ?2, embedding_model = ?3
WHERE id = ?1 AND (embedding IS NOT ?2 OR embedding_model IS NOT ?3)
