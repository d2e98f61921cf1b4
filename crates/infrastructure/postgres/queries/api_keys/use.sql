-- A use that is recorded late must not overwrite a newer one.
UPDATE api_keys SET last_used_at = $2
WHERE id = $1 AND revoked_at IS NULL AND (last_used_at IS NULL OR last_used_at < $2)
