-- A run that has a decision already keeps it.
INSERT INTO proposal_decisions (run_id, decision_json, overall_weighted_confidence, decision_label, created_at)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO NOTHING
