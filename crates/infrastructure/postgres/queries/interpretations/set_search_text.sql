INSERT INTO run_words (run_id, words)
SELECT u.run_id, u.words
FROM unnest($1::uuid[], $2::text[]) AS u (run_id, words)
ON CONFLICT (run_id) DO UPDATE SET words = excluded.words
