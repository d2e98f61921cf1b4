-- The trigrams of a word are a JSON list.
INSERT INTO search_trigrams (trigram, length, term)
SELECT value, ?2, ?3 FROM json_each(?1) WHERE true
ON CONFLICT DO NOTHING
