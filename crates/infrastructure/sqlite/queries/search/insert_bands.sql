-- The bands are a JSON list.
INSERT INTO search_bands (band, document_number)
SELECT value, ?2 FROM json_each(?1) WHERE true
ON CONFLICT DO NOTHING
