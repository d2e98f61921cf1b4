SELECT fingerprint, document_id, run_id
FROM idempotency_keys
WHERE scope = ?1 AND key = ?2 AND place = ?3
