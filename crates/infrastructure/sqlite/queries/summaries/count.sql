-- Counts what another query lists.
SELECT count(*) AS matching
FROM summaries s
JOIN link_requests l ON l.run_id = s.run_id
WHERE s.deleted_at IS NULL
  AND (?1 IS NULL OR l.user_id = ?1)
  AND (?2 IS NULL OR s.is_read = ?2)
  AND (?3 IS NULL OR s.language = ?3)
  AND (?4 IS NULL OR s.search_text LIKE ?4 ESCAPE '\')
  AND (?5 IS NULL OR s.created_at >= ?5)
  AND (?6 IS NULL OR s.created_at <= ?6)
