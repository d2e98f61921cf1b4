-- Deletes a few expired keys. Each use of a key deletes more than one, so that expired keys do not pile up.
DELETE FROM idempotency_keys
WHERE (scope, key, place) IN (SELECT scope, key, place
                              FROM idempotency_keys
                              WHERE created_at < ?1
                              ORDER BY created_at
                              LIMIT ?2)
