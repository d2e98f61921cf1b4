SELECT document_id, value, date_value::text AS date_value
FROM document_fields
WHERE document_id = ANY ($1) AND value IS NOT NULL AND value_type <> 'boolean'
ORDER BY document_id, position
