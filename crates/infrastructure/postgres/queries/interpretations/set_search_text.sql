INSERT INTO run_search_text (run_id, search_text)
SELECT u.run_id, u.search_text
FROM unnest($1::uuid[], $2::text[]) AS u (run_id, search_text)
ON CONFLICT (run_id) DO UPDATE SET search_text = excluded.search_text
