INSERT INTO search_terms (term, language, stem) VALUES (?1, ?2, ?3)
ON CONFLICT DO NOTHING
