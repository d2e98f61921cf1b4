-- Counts what another query lists.
SELECT count(*) AS matching
FROM proposal_inputs i
JOIN runs r ON r.id = i.run_id
LEFT JOIN proposal_decisions d ON d.run_id = i.run_id
WHERE (cardinality($1::text[]) = 0 OR r.state = ANY ($1))
  AND ($2::boolean IS NULL OR (i.parent_run_id IS NOT NULL) = $2)
  AND ($3::uuid IS NULL OR i.parent_run_id = $3)
  AND ($4::text IS NULL OR d.decision_label = $4)
  AND ($5::double precision IS NULL OR d.overall_weighted_confidence >= $5)
  AND ($6::timestamptz IS NULL OR i.created_at >= $6)
  AND ($7::timestamptz IS NULL OR i.created_at <= $7)
