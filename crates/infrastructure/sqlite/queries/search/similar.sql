-- The words that have most of these trigrams, which are a JSON list.
SELECT term
FROM search_trigrams
WHERE trigram IN (SELECT value FROM json_each(?1)) AND length BETWEEN ?3 AND ?4
GROUP BY term
HAVING count(*) >= ?2
ORDER BY count(*) DESC, term
LIMIT 40
