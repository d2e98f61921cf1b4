-- The words are a JSON object with the stem of each. Returns those that are new.
INSERT INTO search_terms (term, language, stem)
SELECT key, ?2, value FROM json_each(?1) WHERE true
ON CONFLICT DO NOTHING
RETURNING term
