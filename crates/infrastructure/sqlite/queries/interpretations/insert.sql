INSERT INTO interpretation_versions (id, run_id, version_number, data, created_at, created_by, is_active, pending_review,
                                     confidence, made_by, model_tokens)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8, ?9, ?10)
