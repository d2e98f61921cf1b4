UPDATE search_documents
SET run_id = ?2, has_text = ?3, language = ?4, model = ?5, signature = ?6
WHERE number = ?1
