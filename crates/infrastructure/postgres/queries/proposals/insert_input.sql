-- A run that has its row already keeps it.
INSERT INTO proposal_inputs (run_id, created_at, scope, parent_run_id, user_id, input_idea, extra_context, model, temperature,
                             parameters_json, schema_version, prompt_set_version, edited_proposal_json, edit_notes)
VALUES ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8, $9, $10::text::jsonb, $11, $12, $13::text::jsonb, $14)
ON CONFLICT DO NOTHING
