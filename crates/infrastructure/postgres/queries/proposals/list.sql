-- The newest first. Another query counts what this one lists.
SELECT {run r}, i.parent_run_id AS input_parent_run_id, i.input_idea AS input_input_idea,
       d.overall_weighted_confidence AS verdict_overall_weighted_confidence, d.decision_label AS verdict_decision_label,
       v.expanded_proposal_json ->> 'title' AS proposal_title, v.expanded_proposal_json ->> 'summary' AS proposal_summary
FROM proposal_inputs i
JOIN runs r ON r.id = i.run_id
LEFT JOIN proposal_decisions d ON d.run_id = i.run_id
LEFT JOIN proposal_versions v ON v.run_id = i.run_id
WHERE (cardinality($1::text[]) = 0 OR r.state = ANY ($1))
  AND ($2::boolean IS NULL OR (i.parent_run_id IS NOT NULL) = $2)
  AND ($3::uuid IS NULL OR i.parent_run_id = $3)
  AND ($4::text IS NULL OR d.decision_label = $4)
  AND ($5::double precision IS NULL OR d.overall_weighted_confidence >= $5)
  AND ($6::timestamptz IS NULL OR i.created_at >= $6)
  AND ($7::timestamptz IS NULL OR i.created_at <= $7)
ORDER BY i.created_at DESC, i.run_id DESC
LIMIT $8 OFFSET $9
