-- A request that has a summary already keeps it.
INSERT INTO summaries (run_id, id, language, json_payload, made_by, search_text, version, is_read, created_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, 0, ?7)
ON CONFLICT DO NOTHING
