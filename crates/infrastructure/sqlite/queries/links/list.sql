-- The newest first. Another query counts what this one lists.
SELECT {run r}, {link_request l}, {summary s}
FROM link_requests l
JOIN runs r ON r.id = l.run_id
LEFT JOIN summaries s ON s.run_id = l.run_id
WHERE (?1 IS NULL OR l.user_id = ?1)
  AND (?2 = '[]' OR r.state IN (SELECT value FROM json_each(?2)))
ORDER BY l.created_at DESC, l.run_id DESC
LIMIT ?3 OFFSET ?4
