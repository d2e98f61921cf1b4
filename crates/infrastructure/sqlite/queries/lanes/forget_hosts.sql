-- Links name any number of hosts; only those that are closed or paused are kept.
DELETE FROM lanes
WHERE name GLOB 'host:*' AND paused_at IS NULL AND (closed_until IS NULL OR closed_until <= ?1)
