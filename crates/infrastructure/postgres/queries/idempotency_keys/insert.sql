-- Takes the key if it is free or its last use has expired. If another transaction is inserting the same key, this
-- statement waits for it.
INSERT INTO idempotency_keys (scope, key, place, fingerprint, document_id, run_id, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (scope, key, place) DO UPDATE
SET fingerprint = excluded.fingerprint, document_id = excluded.document_id, run_id = excluded.run_id,
    created_at = excluded.created_at
WHERE idempotency_keys.created_at < $8
RETURNING 1
