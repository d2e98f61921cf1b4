-- The words that have most of these trigrams.
SELECT term
FROM search_trigrams
WHERE trigram = ANY ($1) AND length BETWEEN $3 AND $4
GROUP BY term
HAVING count(*) >= $2
ORDER BY count(*) DESC, term
LIMIT 40
