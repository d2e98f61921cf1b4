-- Counts what another query lists.
SELECT count(*) AS matching
FROM link_requests l
JOIN runs r ON r.id = l.run_id
WHERE ($1::uuid IS NULL OR l.user_id = $1)
  AND (cardinality($2::text[]) = 0 OR r.state = ANY ($2))
