-- Those of the vectors in a JSON list that still exist, and where they belong.
SELECT v.id, v.chunk_id & 65535 AS position, v.vector, s.document_id
FROM json_each(?1) ids
CROSS JOIN search_vectors v ON v.id = ids.value
CROSS JOIN search_documents s ON s.number = v.chunk_id >> 16
