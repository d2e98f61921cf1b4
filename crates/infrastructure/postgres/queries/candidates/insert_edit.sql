INSERT INTO structural_edits (id, candidate_id, document_id, run_id, evidence, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
