-- Links name any number of hosts; only those that are closed or paused are kept. Skips what another transaction changes.
DELETE FROM lanes
WHERE name IN (SELECT name FROM lanes
               WHERE name LIKE 'host:%' AND paused_at IS NULL AND (closed_until IS NULL OR closed_until <= $1)
               FOR UPDATE SKIP LOCKED)
