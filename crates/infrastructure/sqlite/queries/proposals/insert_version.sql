-- A run that has a proposal already keeps it.
INSERT INTO proposal_versions (run_id, expanded_proposal_json, proposal_diff_json, persona_template_version, edit_notes, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT DO NOTHING
