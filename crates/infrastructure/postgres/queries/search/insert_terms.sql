-- Sorted, so that transactions that add the same words wait for each other in one order.
INSERT INTO search_terms (term, language, stem)
SELECT u.term, u.language, u.stem
FROM unnest($1::text[], $2::text[], $3::text[]) AS u (term, language, stem)
WHERE NOT EXISTS (SELECT 1 FROM search_terms t WHERE t.term = u.term AND t.language = u.language)
ORDER BY u.term, u.language
ON CONFLICT DO NOTHING
RETURNING term
