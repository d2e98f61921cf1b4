SELECT value, date_value
FROM document_fields
WHERE document_id = ?1 AND value IS NOT NULL AND value_type <> 'boolean'
ORDER BY position
