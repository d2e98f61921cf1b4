DELETE FROM document_fields WHERE document_id = ?1
