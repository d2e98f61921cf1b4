-- The request that has this hash: the given one, unless another one has it already. Its row is locked either way.
INSERT INTO link_hashes (user_id, dedupe_hash, run_id)
VALUES ($1, $2, $3)
ON CONFLICT (user_id, dedupe_hash) DO UPDATE SET dedupe_hash = EXCLUDED.dedupe_hash
RETURNING run_id
