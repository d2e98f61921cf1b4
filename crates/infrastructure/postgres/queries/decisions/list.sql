SELECT {decision}
FROM governance_decisions
WHERE $1::uuid IS NULL OR (created_at, id) > (SELECT created_at, id FROM governance_decisions WHERE id = $1)
ORDER BY created_at, id
LIMIT $2
