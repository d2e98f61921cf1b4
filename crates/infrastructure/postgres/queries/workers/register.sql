INSERT INTO workers (id, name, slots, started_at, seen_at, lease_until, program, scope)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
