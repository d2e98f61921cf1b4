DELETE FROM idempotency_keys WHERE document_id = $1
