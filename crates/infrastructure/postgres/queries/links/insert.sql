-- A run that has its row already keeps it.
INSERT INTO link_requests (run_id, created_at, request_type, user_id, input_url, normalized_url, content_text, forward_json,
                           dedupe_hash, language, retry_of)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT DO NOTHING
