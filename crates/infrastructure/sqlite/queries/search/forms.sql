-- The words of a language that have this stem.
SELECT term FROM search_terms WHERE stem = ?2 AND language = ?1 AND term <> ?3 ORDER BY term LIMIT 24
