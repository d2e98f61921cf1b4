-- Another query counts what this one lists.
SELECT {run r}, {link_request l}, {summary s}
FROM summaries s
JOIN link_requests l ON l.run_id = s.run_id
JOIN runs r ON r.id = s.run_id
WHERE s.deleted_at IS NULL
  AND (?1 IS NULL OR l.user_id = ?1)
  AND (?2 IS NULL OR s.is_read = ?2)
  AND (?3 IS NULL OR s.language = ?3)
  AND (?4 IS NULL OR s.search_text LIKE ?4 ESCAPE '\')
  AND (?5 IS NULL OR s.created_at >= ?5)
  AND (?6 IS NULL OR s.created_at <= ?6)
ORDER BY CASE WHEN ?7 THEN s.created_at END, CASE WHEN ?7 THEN s.run_id END, s.created_at DESC, s.run_id DESC
LIMIT ?8 OFFSET ?9
