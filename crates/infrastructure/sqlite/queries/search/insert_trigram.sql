INSERT INTO search_trigrams (trigram, length, term) VALUES (?1, ?2, ?3)
ON CONFLICT DO NOTHING
