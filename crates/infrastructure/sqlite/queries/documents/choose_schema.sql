-- Only while the document leaves the choice open: meanwhile a person may have chosen another schema.
UPDATE documents
SET schema_name = ?2, updated_at = ?3
WHERE id = ?1 AND schema_name = 'auto'
