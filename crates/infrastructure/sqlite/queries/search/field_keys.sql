-- Walks from one key to the next in the index by text.
WITH RECURSIVE keys (key) AS (
    SELECT min(key) FROM document_fields WHERE folded_value IS NOT NULL
    UNION ALL
    SELECT (SELECT min(key) FROM document_fields WHERE folded_value IS NOT NULL AND key > keys.key)
    FROM keys
    WHERE keys.key IS NOT NULL
    LIMIT 1001
)
SELECT key FROM keys WHERE key IS NOT NULL
