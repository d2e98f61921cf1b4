-- Counts what another query lists.
SELECT count(*) AS matching
FROM link_requests l
JOIN runs r ON r.id = l.run_id
WHERE (?1 IS NULL OR l.user_id = ?1)
  AND (?2 = '[]' OR r.state IN (SELECT value FROM json_each(?2)))
