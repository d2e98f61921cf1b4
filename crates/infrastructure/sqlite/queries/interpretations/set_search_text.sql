INSERT INTO run_words (run_id, words)
VALUES (?1, ?2)
ON CONFLICT (run_id) DO UPDATE SET words = excluded.words
