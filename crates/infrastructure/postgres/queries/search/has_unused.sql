-- Whether no chunk has one of these words of the vocabulary any more.
SELECT EXISTS (
    SELECT 1
    FROM unnest($1::text[], $2::text[]) AS u (word, query)
    JOIN search_terms t ON t.term = u.word
    WHERE NOT EXISTS (SELECT 1 FROM search_chunks c WHERE c.words @@ u.query::tsquery))
