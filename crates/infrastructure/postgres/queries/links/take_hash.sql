UPDATE link_hashes
SET run_id = $3
WHERE user_id = $1 AND dedupe_hash = $2
