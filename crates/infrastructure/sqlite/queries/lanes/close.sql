-- A lane that is closed for longer stays so.
INSERT INTO lanes (name, closed_until, reason) VALUES (?1, ?2, ?3)
ON CONFLICT (name) DO UPDATE SET closed_until = excluded.closed_until, reason = excluded.reason
WHERE lanes.closed_until IS NULL OR lanes.closed_until < excluded.closed_until
