-- The texts of these chunks, which are a JSON list.
SELECT c.id, c.text
FROM json_each(?1) ids
CROSS JOIN search_chunks c ON c.id = ids.value
