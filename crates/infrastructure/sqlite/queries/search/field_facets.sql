-- The values of some documents, which are a JSON list of ids in hexadecimal, document by document. A value of many words says little as a
-- facet.
SELECT f.document_id, f.key, f.value, f.folded_value
FROM json_each(?1) ids
CROSS JOIN document_fields f ON f.document_id = unhex(ids.value)
WHERE f.folded_value IS NOT NULL AND f.value_type = 'string' AND length(f.folded_value) <= 40
