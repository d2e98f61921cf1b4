-- A run that has a review by this persona already keeps it.
INSERT INTO persona_reviews (run_id, persona_id, persona_name, review_json, confidence_score, blocking_issues_present,
                             security_concerns_present, prompt_parameters_json, created_at)
VALUES ($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8::text::jsonb, $9)
ON CONFLICT DO NOTHING
