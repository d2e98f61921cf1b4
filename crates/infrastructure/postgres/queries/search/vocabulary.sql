-- Which of the words $1 are known, and which other words have one of their stems in its language. $2 is the place of the word that has
-- the stem, from 0.
SELECT place, term
FROM (SELECT u.place - 1 AS place, t.term, 0 AS is_form
      FROM unnest($1::text[]) WITH ORDINALITY AS u (word, place)
      JOIN search_terms t ON t.term = u.word
      UNION
      SELECT u.place, t.term, 1
      FROM unnest($2::integer[], $3::text[], $4::text[]) AS u (place, language, stem)
      JOIN search_terms t ON t.stem = u.stem AND t.language = u.language) known
ORDER BY is_form, place, term
LIMIT 1000
