-- The words that have one of these stems in its language. $1 is the place of the query's word.
SELECT DISTINCT u.place, t.term
FROM unnest($1::integer[], $2::text[], $3::text[]) AS u (place, language, stem)
JOIN search_terms t ON t.stem = u.stem AND t.language = u.language
ORDER BY u.place, t.term
LIMIT 1000
