-- A few at a time: each use of a key makes room for more than one.
DELETE FROM idempotency_keys
WHERE (scope, key, place) IN (SELECT scope, key, place
                              FROM idempotency_keys
                              WHERE created_at < $1
                              ORDER BY created_at
                              LIMIT $2
                              FOR UPDATE SKIP LOCKED)
