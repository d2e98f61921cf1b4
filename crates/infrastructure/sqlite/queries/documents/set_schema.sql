UPDATE documents
SET schema_name = ?2, updated_at = ?3
WHERE id = ?1
