SELECT count(*) AS matching
FROM summaries s
JOIN link_requests l ON l.run_id = s.run_id
WHERE s.deleted_at IS NULL
  AND s.is_read = 0
  AND (?1 IS NULL OR l.user_id = ?1)
