-- Words that begin so, at most ?2.
SELECT DISTINCT term FROM search_terms WHERE term >= ?1 AND term < ?1 || char(1114111) LIMIT ?2
