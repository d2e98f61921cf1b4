SELECT {idempotency_key}
FROM idempotency_keys
WHERE scope = $1 AND key = $2 AND place = $3
