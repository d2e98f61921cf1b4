INSERT INTO run_search_text (run_id, search_text)
VALUES (?1, ?2)
ON CONFLICT (run_id) DO UPDATE SET search_text = excluded.search_text
