INSERT INTO search_trigrams (trigram, length, term)
SELECT u.trigram, u.length, u.term
FROM unnest($1::text[], $2::integer[], $3::text[]) AS u (trigram, length, term)
ORDER BY u.trigram, u.length, u.term
ON CONFLICT DO NOTHING
