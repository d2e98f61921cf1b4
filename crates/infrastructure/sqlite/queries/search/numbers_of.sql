-- The documents are a JSON list of ids in hexadecimal.
SELECT s.number
FROM json_each(?1) ids
CROSS JOIN search_documents s ON s.document_id = unhex(ids.value)
