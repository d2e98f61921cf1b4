-- Removes those of the words that no chunk has any more. The vocabulary is locked, so that no transaction is adding a chunk that this
-- one cannot see.
DELETE FROM search_terms t
USING (SELECT t.term, t.language
       FROM unnest($1::text[], $2::text[]) AS u (word, query)
       JOIN search_terms t ON t.term = u.word
       WHERE NOT EXISTS (SELECT 1 FROM search_chunks c WHERE c.words @@ u.query::tsquery)
       ORDER BY t.term, t.language
       FOR UPDATE OF t) unused
WHERE t.term = unused.term AND t.language = unused.language
RETURNING t.term
