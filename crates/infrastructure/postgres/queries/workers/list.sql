SELECT id, name, slots, started_at, seen_at, lease_until, ended_at
FROM workers
ORDER BY id DESC
