INSERT INTO search_bands (band, document_number) VALUES (?1, ?2)
ON CONFLICT DO NOTHING
