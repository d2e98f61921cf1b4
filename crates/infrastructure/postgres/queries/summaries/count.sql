-- Counts what another query lists.
SELECT count(*) AS matching
FROM summaries s
JOIN link_requests l ON l.run_id = s.run_id
WHERE s.deleted_at IS NULL
  AND ($1::uuid IS NULL OR l.user_id = $1)
  AND ($2::boolean IS NULL OR s.is_read = $2)
  AND ($3::text IS NULL OR s.language = $3)
  AND ($4::text IS NULL OR s.search_text LIKE $4 ESCAPE '\')
  AND ($5::timestamptz IS NULL OR s.created_at >= $5)
  AND ($6::timestamptz IS NULL OR s.created_at <= $6)
